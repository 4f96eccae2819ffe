# ns-2's RAP under regular losses, as ns2_response.tcl for its TCP: one flow, every n-th packet lost, nothing else in its way.
#
#   ns validation/ns2_rap_response.tcl > validation/data/ns2_rap_response.csv
#
# Source: the ns Manual (Fall & Varadhan); ns-2 2.35 (Debian 2.35+dfsg-5). Round trips of 100 ms all alike.
# Prints CSV: the law, n, when counting begins and ends (s), data packets sent between.

remove-all-packet-headers
add-packet-header IP TCP Common Flags RAP

Agent/RAP set packetSize_ 1000
Agent/RAP set rap_base_hdr_size_ 40

set rtt 0.1
set ns [new Simulator]
set last 0

proc count {index what} {
    global rap sent
    set sent($index,$what) [$rap($index) set seqno_]
}

set cells {}
foreach {a b} {1 0.5  0.2 0.125} {
    foreach n {20 50 100 200 500 1000 2000 5000} {
        # An epoch of AIMD(a, b): b W / a round trips, W from [Floyd00] equation 7.
        set epoch [expr {sqrt(2.0 * $b * $n / ((2 - $b) * $a)) * $rtt}]
        set begin [expr {int(ceil(20 * $epoch)) + 30}]
        set end [expr {$begin + int(ceil(300 * $epoch))}]
        set index [llength $cells]
        lappend cells [list "\"rap($a, $b)\"" $n $begin $end]

        set from [$ns node]
        set to [$ns node]
        $ns duplex-link $from $to 1Gb [expr {$rtt / 2}] DropTail
        $ns queue-limit $from $to 100000
        set loss [new ErrorModel/Periodic]
        $loss unit pkt
        $loss set period_ $n
        $loss set offset_ 0
        $loss drop-target [new Agent/Null]
        $ns lossmodel $loss $from $to

        set rap($index) [new Agent/RAP]
        $rap($index) set alpha_ $a
        $rap($index) set beta_ [expr {1 - $b}]
        set sink [new Agent/RAP]
        $ns attach-agent $from $rap($index)
        $ns attach-agent $to $sink
        $ns connect $rap($index) $sink
        $sink listen
        $ns at 0 "$rap($index) start"
        $ns at $begin "count $index begin"
        $ns at $end "count $index end; $rap($index) stop"
        set last [expr {max($last, $end)}]
    }
}

$ns at [expr {$last + 1}] {
    puts "control,period,begin_s,end_s,sent"
    foreach cell $cells index [lsearch -all $cells *] {
        puts "[join $cell ,],[expr {$sent($index,end) - $sent($index,begin)}]"
    }
    exit 0
}
$ns run
