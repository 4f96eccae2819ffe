//! The identity of the end that answers, and what both ends know of TLS 1.3 (RFC 8446).
//!
//! The certificate is one of Ed25519 (RFC 8410), whose signatures have one length, made of a key that is written here: no secret, and the
//! same bytes in every run, so that every handshake has the same sizes. There are no session tickets: nobody resumes.

use rcgen::{CertificateParams, KeyPair, SerialNumber};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig, crypto, version};
use std::sync::{Arc, LazyLock};

/// The name that the certificate is for.
pub const NAME: &str = "sawtooth";

/// What stands before the 32 bytes of a key in PKCS #8, RFC 8410 §7.
const PKCS8: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

struct Identity {
    key: Vec<u8>,
    certificate: CertificateDer<'static>,
}

static IDENTITY: LazyLock<Identity> = LazyLock::new(|| {
    let key = [&PKCS8[..], &[7; 32]].concat();
    let pair = KeyPair::try_from(key.as_slice()).expect("a key of Ed25519");
    let mut params = CertificateParams::new([NAME.to_owned()]).expect("a name");
    params.serial_number = Some(SerialNumber::from(1));
    let certificate = params.self_signed(&pair).expect("a certificate").der().clone();
    Identity { key, certificate }
});

const FITS: &str = "ring has what TLS 1.3 needs";

/// The end that opens connections trusts the certificate.
pub fn client() -> ClientConfig {
    let mut roots = RootCertStore::empty();
    roots.add(IDENTITY.certificate.clone()).expect("a certificate of its own");
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_protocol_versions(&[&version::TLS13])
        .expect(FITS);
    let mut config = config.with_root_certificates(roots).with_no_client_auth();
    config.resumption = rustls::client::Resumption::disabled();
    config
}

/// The end that answers shows it.
pub fn server() -> ServerConfig {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(IDENTITY.key.clone()));
    let config = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_protocol_versions(&[&version::TLS13])
        .expect(FITS);
    let config = config.with_no_client_auth().with_single_cert(vec![IDENTITY.certificate.clone()], key);
    let mut config = config.expect("a certificate and its key");
    config.send_tls13_tickets = 0;
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_certificate_has_the_same_bytes_each_time() {
        let again = KeyPair::try_from(IDENTITY.key.as_slice()).unwrap();
        let mut params = CertificateParams::new([NAME.to_owned()]).unwrap();
        params.serial_number = Some(SerialNumber::from(1));
        assert_eq!(params.self_signed(&again).unwrap().der(), &IDENTITY.certificate);
        assert_eq!((client().alpn_protocols.len(), server().send_tls13_tickets), (0, 0));
    }
}
