/* A whole endpoint in C for the tests: a window of ten datagrams, an acknowledgement for each, everything again after a second without
   progress. */
#include <sawtooth.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000ull
#define WINDOW 10

typedef struct {
    SawtoothEndpointSettings settings;
    uint64_t next, first, limit, offered, acks, retry_at;
    bool more, mute;
} End;

static const char *create(const double *numbers, const SawtoothEndpointSettings *settings, void **endpoint) {
    End *end = calloc(1, sizeof *end);
    if (end == NULL) return "no memory";
    end->settings = *settings;
    end->retry_at = SAWTOOTH_NONE;
    end->mute = numbers != NULL && numbers[0] == 1;
    *endpoint = end;
    return NULL;
}

static const char *begin(void *endpoint, uint64_t now_ns) {
    End *end = endpoint;
    end->retry_at = now_ns + SECOND;
    end->more = true;
    return NULL;
}

/* Datagrams are full: the last one is padded. */
static const char *offer(void *endpoint, uint64_t now_ns, uint64_t bytes, bool more) {
    (void)now_ns;
    End *end = endpoint;
    uint64_t datagram = end->settings.datagram;
    end->offered = bytes == SAWTOOTH_NONE ? UINT64_MAX - datagram : end->offered + bytes;
    end->limit = (end->offered + datagram - 1) / datagram;
    end->more = more;
    return NULL;
}

static const char *stop(void *endpoint, uint64_t now_ns) {
    (void)now_ns;
    End *end = endpoint;
    end->limit = end->next;
    end->more = false;
    return NULL;
}

static const char *transmit(void *endpoint, uint64_t now_ns, SawtoothDatagram *datagram) {
    (void)now_ns;
    End *end = endpoint;
    uint64_t number;
    datagram->length = 0;
    datagram->ecn = 0;
    if (!end->settings.sends) {
        if (end->acks == 0) return NULL;
        end->acks--;
        number = end->first;
        datagram->length = sizeof number;
    } else {
        if (end->next >= end->limit || end->next - end->first >= WINDOW) return NULL;
        number = end->next++;
        memset(datagram->data, 0, end->settings.datagram);
        datagram->length = end->settings.datagram;
    }
    memcpy(datagram->data, &number, sizeof number);
    return NULL;
}

static const char *receive(void *endpoint, uint64_t now_ns, uint8_t ecn, const uint8_t *data, size_t length) {
    (void)ecn;
    End *end = endpoint;
    uint64_t number;
    if (length < sizeof number) return "a datagram without a number";
    memcpy(&number, data, sizeof number);
    if (!end->settings.sends) {
        end->first += number == end->first;
        end->acks++;
    } else if (number > end->first) {
        end->first = number;
        if (end->next < number) end->next = number;
        end->retry_at = now_ns + SECOND;
    }
    return NULL;
}

static const char *deadline(void *endpoint, uint64_t *at_ns) {
    *at_ns = ((End *)endpoint)->retry_at;
    return NULL;
}

static const char *on_deadline(void *endpoint, uint64_t now_ns) {
    End *end = endpoint;
    end->next = end->first;
    end->retry_at = now_ns + SECOND;
    return NULL;
}

static const char *state(void *endpoint, SawtoothEndpointState *state) {
    End *end = endpoint;
    state->window = WINDOW * end->settings.datagram;
    state->rtt_ns = SAWTOOTH_NONE;
    if (end->mute) state->window = SAWTOOTH_NONE;
    state->lost_packets = SAWTOOTH_NONE;
    state->congestion_events = SAWTOOTH_NONE;
    state->delivered = end->first * end->settings.datagram;
    state->finished = end->settings.sends && !end->more && end->first >= end->limit;
    return NULL;
}

static const SawtoothParameter PARAMETERS[] = {
    {"mute", "flag", "1: it does not tell its window", 0, 0, 1, true},
};

static const SawtoothEndpoint ENDPOINTS[] = {{
    .name = "toy-ten",
    .summary = "a window of ten datagrams",
    .source = "none",
    .parameters = PARAMETERS,
    .parameter_count = 1,
    .datagram_min = 100,
    .create = create,
    .destroy = free,
    .begin = begin,
    .offer = offer,
    .stop = stop,
    .transmit = transmit,
    .receive = receive,
    .deadline = deadline,
    .on_deadline = on_deadline,
    .state = state,
}};

static const SawtoothEndpoints OFFERED = {SAWTOOTH_ENDPOINT_ABI, 1, ENDPOINTS};

const SawtoothEndpoints *sawtooth_endpoints(void) {
    return &OFFERED;
}
