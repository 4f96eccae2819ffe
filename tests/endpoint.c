/* A whole endpoint in C for the tests: a window of ten datagrams, an acknowledgement for each, everything again after a second without
   progress. */
#include <sawtooth.h>
#include <stdlib.h>
#include <string.h>

#define SECOND 1000000000ull
#define WINDOW 10

typedef struct {
    SawtoothEndpointSettings settings;
    uint64_t next, first, limit, acks, retry_at;
} End;

static const char *create(const double *numbers, const SawtoothEndpointSettings *settings, void **endpoint) {
    (void)numbers;
    End *end = calloc(1, sizeof *end);
    if (end == NULL) return "no memory";
    end->settings = *settings;
    end->retry_at = SAWTOOTH_NONE;
    *endpoint = end;
    return NULL;
}

static const char *begin(void *endpoint, uint64_t now_ns) {
    End *end = endpoint;
    end->limit = UINT64_MAX;
    end->retry_at = now_ns + SECOND;
    return NULL;
}

static const char *stop(void *endpoint, uint64_t now_ns) {
    (void)now_ns;
    End *end = endpoint;
    end->limit = end->next;
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
    state->lost_packets = SAWTOOTH_NONE;
    state->congestion_events = SAWTOOTH_NONE;
    state->delivered = end->first * end->settings.datagram;
    return NULL;
}

static const SawtoothEndpoint ENDPOINTS[] = {{
    .name = "toy-ten",
    .summary = "a window of ten datagrams",
    .source = "none",
    .datagram_min = 100,
    .create = create,
    .destroy = free,
    .begin = begin,
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
