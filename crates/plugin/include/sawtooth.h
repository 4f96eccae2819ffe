// Sawtooth: the interface between the simulator and a congestion controller of yours, version 1.
//
// A shared library offers one function, `sawtooth_plugin`, which returns what it holds. Times are nanoseconds from the start of the run,
// volumes bytes, windows packets, rates bit/s. What docs/plugins.md says at length, in short:
//
// - Each connection has a controller of its own: `create` makes it, `destroy` ends it. Connections of several runs live at the same time
//   in several threads, but no controller is called by two of them at once.
// - The same calls must give the same answers: no clock, no random numbers but those made of `SawtoothSettings.random`, no state that
//   controllers share.
// - `create`, `clone`, `answers` and every call return NULL if all is well. Anything else is a sentence that says why the run cannot go
//   on; it must stay there until the next call in the same thread. It ends the run.
// - Optional calls may be NULL.
//
// A whole protocol stack is an endpoint: a library with endpoints offers the function `sawtooth_endpoints`, of version 2. The same
// holds for its calls, none of which may be NULL.
//
// Made of crates/plugin/src/abi.rs and endpoint_abi.rs by cbindgen; do not edit.


#ifndef SAWTOOTH_H
#define SAWTOOTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The version of this interface.
#define SAWTOOTH_ABI 1

// A time that was not measured.
#define SAWTOOTH_NONE UINT64_MAX

// The version of this part of the interface.
#define SAWTOOTH_ENDPOINT_ABI 2

// Why the network asks a sender to slow down.
typedef enum SawtoothCongestionKind {
    // Fast retransmit found a loss: the first of this window of data.
    SAWTOOTH_CONGESTION_KIND_LOSS = 0,
    // The same, and recovery begins again from one packet (Tahoe). `repeated`: this window of data has been cut for before.
    SAWTOOTH_CONGESTION_KIND_LOSS_RESTART = 1,
    // An ECN echo, the first of this window of data.
    SAWTOOTH_CONGESTION_KIND_ECN_MARK = 2,
    // The retransmission timer expired. `repeated`: the segment had been sent by the timer before.
    SAWTOOTH_CONGESTION_KIND_TIMEOUT = 3,
    // Everything sent over a long time was lost (RFC 9002 §7.6).
    SAWTOOTH_CONGESTION_KIND_PERSISTENT_CONGESTION = 4,
} SawtoothCongestionKind;

// A parameter of a constructor.
typedef struct SawtoothParameter {
    // Its name: small letters, digits, -, + and _, beginning with a letter.
    const char *name;
    // Its unit, for instance "packets" or "1".
    const char *unit;
    // What it means, then where its default or its bounds come from.
    const char *why;
    // Its value where it is left out; NAN: it must be given.
    double default_value;
    // The smallest value accepted.
    double min;
    // The largest value accepted.
    double max;
    // Only whole numbers are accepted.
    bool whole;
} SawtoothParameter;

// What a controller needs to be told beyond acknowledgements outside recovery and congestion.
typedef struct SawtoothWants {
    // `on_sent` and `on_lost`.
    bool packets;
    // Delivery rates and volumes in `Ack`, and its round trips but the latest. Without it these are 0 or NONE.
    bool rates;
    // `Ack.round_ended`.
    bool rounds;
    // Acknowledgements that arrive during recovery, and `on_recovery`.
    bool recovery;
} SawtoothWants;

// What holds for a connection whatever its law, as the scenario says.
typedef struct SawtoothSettings {
    // Packets that may be sent before the first acknowledgement of data.
    double initial_window;
    // Where the first slow start ends without congestion; INFINITY: nowhere.
    double initial_threshold;
    // Size of the packets on the wire: windows are counted in them.
    uint64_t packet;
    // A number of its own for each connection that draws (`Controller.draws`): what a generator of random numbers begins with.
    uint64_t random[4];
    // tcp.slow_start_exit is "law": a loss in slow start is answered by the law's own decrease; otherwise the window is halved.
    bool slow_start_exit_law;
    // tcp.timeout_threshold is "law": the threshold after a timeout is what the law's own decrease leaves; otherwise half the window.
    bool timeout_threshold_law;
    // tcp.window_arithmetic is "integer": windows are cut to whole packets before each decrease and after it.
    bool whole_windows;
    // tcp.rto_cuts: a timeout cuts the window.
    bool timeouts_cut;
} SawtoothSettings;

// What a controller answers. What `answers` does not write stays as it was. The bounds are those that end a run.
typedef struct SawtoothAnswers {
    // How many packets may be in flight: 1 to 1e9.
    double window;
    // The window below which slow start runs, in packets: 0 or more, or INFINITY.
    double slow_start_threshold;
    // How fast packets may leave: 1 to 1e15 bit/s; 0: it does not say.
    double pacing_rate;
    // What may leave back to back when the pacer lets something go: at most 1e9 bytes; one packet always may.
    uint64_t send_quantum;
    // Rate samples of what is sent from now on count as limited by the application, because the law itself holds back.
    bool mark_application_limited;
} SawtoothAnswers;

// How fast packets were delivered between the sending of one packet and its acknowledgement.
typedef struct SawtoothRateSample {
    // Delivered in the interval.
    uint64_t delivered;
    // The longer of the times that sending and acknowledging took.
    uint64_t interval_ns;
    // Delivered on the connection when the packet was sent.
    uint64_t prior_delivered;
    // In flight when the packet was sent.
    uint64_t in_flight_at_sending;
    // Lost in the interval.
    uint64_t lost;
    // The packet was sent while the application limited the sender.
    bool app_limited;
} SawtoothRateSample;

// What one acknowledgement tells a controller. What it does not want (`Wants`) is 0 or NONE.
typedef struct SawtoothAck {
    // When it arrived.
    uint64_t now_ns;
    // Packets that count for growth: those acknowledged for the first time, after the cap of RFC 3465.
    uint32_t newly_acked;
    // Packets that the receiver says were marked (CE) since the last acknowledgement.
    uint32_t ce_marked;
    // Delivered on the connection so far.
    uint64_t delivered;
    // Delivered with this acknowledgement, selectively or not.
    uint64_t newly_delivered;
    // Called lost with this acknowledgement.
    uint64_t newly_lost;
    // In flight before it was taken in.
    uint64_t in_flight_before;
    // In flight after it was taken in.
    uint64_t in_flight_after;
    // The round trip that it gave to the estimator, or NONE.
    uint64_t rtt_latest_ns;
    // The least round trip over the life of the connection, or NONE.
    uint64_t rtt_minimum_ns;
    // The smoothed round trip (RFC 6298), or NONE.
    uint64_t rtt_smoothed_ns;
    // The round trip of the newest packet that is acknowledged, or NONE.
    uint64_t rtt_newest_ns;
    // The delivery rate, if there is a sample of it.
    struct SawtoothRateSample rate;
    // Is there one?
    bool has_rate;
    // A round trip has passed.
    bool round_ended;
    // Loss recovery is in progress.
    bool in_recovery;
    // The window, or its pacer, was what limited the sender; otherwise its size says nothing about the path.
    bool cwnd_limited;
    // The bytes of the packets that were marked. It stands last, so that libraries made before it was there go on.
    uint64_t newly_marked;
} SawtoothAck;

// One congestion signal: at most one per window of data, plus timeouts.
typedef struct SawtoothCongestion {
    // When the sender learnt of it.
    uint64_t now_ns;
    // The window of data that it is about: signals about the same one carry the same number.
    uint64_t window_of_data;
    // What happened.
    enum SawtoothCongestionKind kind;
    // See `CongestionKind`.
    bool repeated;
} SawtoothCongestion;

// One packet in flight: what its sender knew when it last sent it.
typedef struct SawtoothPacket {
    // When it was last sent.
    uint64_t sent_at_ns;
    // Its size on the wire.
    uint64_t size;
    // Delivered on the connection when it was sent.
    uint64_t delivered;
    // When the last of these was delivered.
    uint64_t delivered_at_ns;
    // When the flight began that the next rate sample covers.
    uint64_t first_sent_at_ns;
    // In flight when it was sent, itself included.
    uint64_t in_flight;
    // Lost on the connection when it was sent.
    uint64_t lost;
    // How many times it has been sent: 1 for new data.
    uint32_t times_sent;
    // The sender had less to send than it was allowed to.
    bool app_limited;
} SawtoothPacket;

// Signals about a window of data were spurious: nothing of it had been lost.
typedef struct SawtoothUndo {
    // What the last signal had said; `now_ns` is when it was found to be spurious.
    struct SawtoothCongestion signal;
    // In flight now.
    uint64_t in_flight;
    // Delivered with the acknowledgement that showed it.
    uint64_t newly_delivered;
} SawtoothUndo;

// A constructor and the controllers that it makes.
typedef struct SawtoothController {
    // What people write: small letters, digits, -, + and _, beginning with a letter. No built-in controller may have the name.
    const char *name;
    // What it does, in a line.
    const char *summary;
    // The paper or RFC.
    const char *source;
    // Its parameters, in the order in which people write them.
    const struct SawtoothParameter *parameters;
    // How many there are.
    size_t parameter_count;
    // What its controllers need to be told.
    struct SawtoothWants wants;
    // It may answer with a pacing rate. A rate of a controller that does not say so, and had none from its start, ends the run.
    bool paces;
    // It draws random numbers, made of `Settings.random`.
    bool draws;
    // Makes a controller at the start of its connection, of as many numbers as there are parameters, and puts it into `*controller`.
    const char *(*create)(const double *numbers, const struct SawtoothSettings *settings, void **controller);
    // Makes a controller in the same state.
    const char *(*clone)(const void *controller, void **copy);
    // Ends a controller.
    void (*destroy)(void *controller);
    // What holds now: asked after `create` and after every call.
    const char *(*answers)(const void *controller, struct SawtoothAnswers *answers);
    // An acknowledgement arrived.
    const char *(*on_ack)(void *controller, const struct SawtoothAck *ack);
    // The network signalled congestion.
    const char *(*on_congestion)(void *controller, const struct SawtoothCongestion *signal);
    // Optional. A packet was sent.
    const char *(*on_sent)(void *controller, const struct SawtoothPacket *packet);
    // Optional. A packet was declared lost; `lost` counts all declared losses of the connection, this one included.
    const char *(*on_lost)(void *controller, uint64_t now_ns, const struct SawtoothPacket *packet, uint64_t lost);
    // Optional. The last signals were spurious.
    const char *(*on_undo)(void *controller, const struct SawtoothUndo *undo);
    // Optional. The application has data again after nothing was in flight since then.
    const char *(*on_idle)(void *controller, uint64_t now_ns, uint64_t since_ns);
    // Optional. Loss recovery was entered or left. On entry this comes after the congestion signal.
    const char *(*on_recovery)(void *controller, uint64_t now_ns, bool entered, uint64_t in_flight);
    // Optional. A round trip passed in congestion avoidance that delivered the whole window: the step of the synchronous model. Without
    // it that model makes one acknowledgement for each whole packet of the window.
    const char *(*on_round)(void *controller, uint64_t now_ns);
} SawtoothController;

// What a library holds. It stays there as long as the library is loaded.
typedef struct SawtoothPlugin {
    // SAWTOOTH_ABI: the version of this interface that the library was made for.
    uint32_t abi;
    // How many controllers it has.
    size_t controller_count;
    // Its controllers.
    const struct SawtoothController *controllers;
} SawtoothPlugin;

// What holds for one end of a connection, as the scenario says.
typedef struct SawtoothEndpointSettings {
    // It opens the connection and sends data; the other end answers and reads them.
    bool sends;
    // Datagrams may be ECN-capable.
    bool ecn;
    // The largest datagram that fits into a packet of the flow.
    uint64_t datagram;
    // What may be sent before the first acknowledgement of data, in bytes.
    uint64_t initial_window;
    // A number of its own for each end: what a generator of random numbers begins with.
    uint64_t random[4];
} SawtoothEndpointSettings;

// A place for one datagram, which `Endpoint.transmit` fills.
typedef struct SawtoothDatagram {
    // Where its bytes go.
    uint8_t *data;
    // How many have room there.
    size_t capacity;
    // How many there are; 0: there is nothing to send.
    size_t length;
    // Its codepoint, as in the header of IP: 0, or 2 for ECT(0).
    uint8_t ecn;
} SawtoothDatagram;

// What an end says of itself. What it does not know is SAWTOOTH_NONE.
typedef struct SawtoothEndpointState {
    // Bytes that may be in flight.
    uint64_t window;
    // The smoothed round trip.
    uint64_t rtt_ns;
    // Packets declared lost so far.
    uint64_t lost_packets;
    // Times at which it answered losses or marks with its window so far.
    uint64_t congestion_events;
    // Bytes of data that its application has read in order so far.
    uint64_t delivered;
    // Of the end that sends: no more data will be offered, and the other end has acknowledged all of it.
    bool finished;
} SawtoothEndpointState;

// A constructor and the endpoints that it makes.
typedef struct SawtoothEndpoint {
    // What people write: small letters, digits, -, + and _, beginning with a letter. No built-in controller may have the name.
    const char *name;
    // What it does, in a line.
    const char *summary;
    // The stack, with its version.
    const char *source;
    // Its parameters, in the order in which people write them.
    const struct SawtoothParameter *parameters;
    // How many there are.
    size_t parameter_count;
    // The least `EndpointSettings.datagram` that it works with.
    uint64_t datagram_min;
    // Makes one end of a connection, before anything of it is sent, and puts it into `*endpoint`.
    const char *(*create)(const double *numbers, const struct SawtoothEndpointSettings *settings, void **endpoint);
    // Ends it.
    void (*destroy)(void *endpoint);
    // The end that sends opens the connection. What it has to send is offered.
    const char *(*begin)(void *endpoint, uint64_t now_ns);
    // The application of the end that sends makes so many bytes of data more available, or with SAWTOOTH_NONE data without end. `more`:
    // it will offer others. Between an offer and the next that is all there is.
    const char *(*offer)(void *endpoint, uint64_t now_ns, uint64_t bytes, bool more);
    // The application of the end that sends offers no more data, and takes back what has not been taken by its transport.
    const char *(*stop)(void *endpoint, uint64_t now_ns);
    // The next datagram that may leave now, if there is one. Asked after `begin`, `offer`, `receive`, `on_deadline` and `stop` until
    // there is none.
    const char *(*transmit)(void *endpoint, uint64_t now_ns, struct SawtoothDatagram *datagram);
    // A datagram of the other end arrived, with this codepoint: 0, 2 for ECT(0), 3 for CE.
    const char *(*receive)(void *endpoint, uint64_t now_ns, uint8_t ecn, const uint8_t *data, size_t length);
    // When `on_deadline` is to be called, or SAWTOOTH_NONE. Asked when there is nothing more to send.
    const char *(*deadline)(void *endpoint, uint64_t *at_ns);
    // A deadline has come.
    const char *(*on_deadline)(void *endpoint, uint64_t now_ns);
    // What it says of itself.
    const char *(*state)(void *endpoint, struct SawtoothEndpointState *state);
} SawtoothEndpoint;

// The endpoints that a library holds. They stay there as long as the library is loaded.
typedef struct SawtoothEndpoints {
    // SAWTOOTH_ENDPOINT_ABI: the version of this part of the interface that the library was made for.
    uint32_t abi;
    // How many endpoints it has.
    size_t endpoint_count;
    // Its endpoints.
    const struct SawtoothEndpoint *endpoints;
} SawtoothEndpoints;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The one function that a library must offer.
extern const struct SawtoothPlugin *sawtooth_plugin(void);

// The function that a library with endpoints must offer.
extern const struct SawtoothEndpoints *sawtooth_endpoints(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* SAWTOOTH_H */
