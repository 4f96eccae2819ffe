# ns-2's counterpart of scenarios/ns2_mixes.toml for any two kinds of flows, RAP among them: n flows of each behind RED.
#
#   ns validation/ns2_mixes.tcl KIND KIND N SEED [TICK [QUEUE [WINDOWS]]]  KIND: tcp:A:B (SACK) or rap:A:B:FINE_GRAIN:GAIN
#
# With TICK (a clock of that many seconds) windows are cut in whole packets, as in ns-2 of 2000 to 2002. QUEUE is RED or DropTail; behind
# the latter packets leave up to 80 us late, against phase effects. With WINDOWS every change of a window of flow i is written to WINDOWS.i.
#
# What: the network of data/README.md, "The mixes". Prints the bottleneck's events as ns-2 traces them; ns2_rap.py reads them.
# Source: the ns Manual (Fall & Varadhan); ns-2 2.35 (Debian 2.35+dfsg-5), whose Agent/RAP is by the authors of [Rejaie99].

foreach {first second n seed tick queue windows} $argv break
if {$queue eq ""} { set queue RED }
set duration 100.0

remove-all-packet-headers
add-packet-header IP TCP Common Flags RAP

Agent/TCP set packetSize_ 960                ;# + 40 bytes of header = 1000 bytes on the wire
Agent/TCP set tcpip_base_hdr_size_ 40
Agent/TCP set window_ 1000000                ;# the receiver never limits
Agent/TCP set windowInit_ 2                  ;# initial_window
Agent/TCP set rtxcur_init_ 3.0               ;# initial_rto
Agent/TCP set minrto_ 0.2                    ;# min_rto
Agent/TCP set tcpTick_ 0.01                  ;# timer_tick
if {$tick ne ""} {
    Agent/TCP set tcpTick_ $tick
    Agent/TCP set precisionReduce_ false     ;# window_arithmetic = "integer"
}
Agent/TCP set singledup_ 1                   ;# limited_transmit
Agent/TCP set timestamps_ false
if {$queue eq "DropTail"} {
    Agent/TCP set overhead_ 0.00008          ;# send_jitter
}
Agent/TCPSink set packetSize_ 40             ;# ack_bytes
Agent/RAP set packetSize_ 1000               ;# on the wire
Agent/RAP set rap_base_hdr_size_ 40          ;# its acknowledgements
Queue/RED set thresh_ 25
Queue/RED set maxthresh_ 125
Queue/RED set linterm_ 10                    ;# 1 / max_p
Queue/RED set q_weight_ 0.002
Queue/RED set gentle_ true
Queue/RED set wait_ true
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set mean_pktsize_ 1000

ns-random $seed
set ns [new Simulator]
set starts [new RandomVariable/Uniform]
$starts set min_ 0
$starts set max_ 2
set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right 15Mb 20ms $queue
$ns simplex-link $right $left 15Mb 20ms DropTail
$ns queue-limit $left $right 250
$ns queue-limit $right $left 10000
$ns trace-queue $left $right stdout

proc sender {kind} {
    foreach {law a b fine gain} [split $kind :] break
    if {$law eq "rap"} {
        set agent [new Agent/RAP]
        $agent set alpha_ $a
        $agent set beta_ [expr {1 - $b}]
        $agent set useFineGrain_ $fine
        $agent set delta_ $gain
    } else {
        set agent [new Agent/TCP/Sack1]
        $agent set increase_num_ $a
        $agent set decrease_num_ [expr {1 - $b}]
    }
    return $agent
}

for {set i 0} {$i < 2 * $n} {incr i} {
    set kind [expr {$i % 2 ? $second : $first}]
    set each [expr {(0.044 + 0.020 * $i / (2 * $n - 1) - 0.040) / 4}]
    set from [$ns node]
    set to [$ns node]
    $ns duplex-link $from $left 1Gb $each DropTail
    $ns duplex-link $right $to 1Gb $each DropTail
    $ns queue-limit $from $left 100000
    set agent [sender $kind]
    $agent set fid_ $i
    if {$windows ne ""} {
        $agent attach [open $windows.$i w]
        foreach variable {cwnd_ ssthresh_ nrexmit_} { $agent trace $variable }
    }
    $ns attach-agent $from $agent
    if {[string match rap:* $kind]} {
        set sink [new Agent/RAP]
        $ns attach-agent $to $sink
        $ns connect $agent $sink
        $sink listen
        $ns at [$starts value] "$agent start"
    } else {
        set sink [new Agent/TCPSink/Sack1]
        $ns attach-agent $to $sink
        $ns connect $agent $sink
        set ftp [new Application/FTP]
        $ftp attach-agent $agent
        $ns at [$starts value] "$ftp start"
    }
}
$ns at $duration "exit 0"
$ns run
