# ns-2's counterpart of scenarios/response.toml: one SACK flow of AIMD(a, b), every n-th packet lost, nothing else in its way.
#
#   ns validation/ns2_response.tcl > validation/data/ns2_response.csv
#
# What: all cells in one simulation, each with a link, a sender and a loss model of its own. A cell runs for 20 congestion epochs before
# counting begins and for 300 while it counts; an epoch is b W / a + 1 round trips, W from [Floyd00] equation 4.
# Source: the ns Manual (Fall & Varadhan), chapters "Agents/TCP agents" and "Error Model"; ns-2 2.35 (Debian 2.35+dfsg-5).
# Prints CSV: the law, n, when counting begins and ends (s), data packets sent and acknowledged cumulatively between.

remove-all-packet-headers
add-packet-header IP TCP Common Flags

Agent/TCP set packetSize_ 960                ;# + 40 bytes of header = 1000 bytes on the wire
Agent/TCP set tcpip_base_hdr_size_ 40
Agent/TCP set window_ 1000000                ;# the receiver never limits
Agent/TCP set windowInit_ 2                  ;# initial_window
Agent/TCP set rtxcur_init_ 3.0               ;# initial_rto
Agent/TCP set minrto_ 0.2                    ;# min_rto
Agent/TCP set tcpTick_ 0.01                  ;# timer_tick
Agent/TCP set singledup_ 1                   ;# limited_transmit
Agent/TCP set timestamps_ false
Agent/TCPSink set packetSize_ 40             ;# ack_bytes

set rtt 0.1
set ns [new Simulator]
set last 0

proc count {index what} {
    global tcp sent acked
    set sent($index,$what) [$tcp($index) set ndatapack_]
    set acked($index,$what) [$tcp($index) set ack_]
}

set cells {}
foreach {a b} {1 0.5  0.2 0.125  0.4 0.125  1 0.125} {
    foreach n {50 100 200 500 1000 2000 5000 10000} {
        set p [expr {1.0 / $n}]
        # p (b (2 - b) W^2 + a (2 - b) W) = 2 a, solved for W
        set W [expr {(-$a * (2 - $b) + sqrt(pow($a * (2 - $b), 2) + 8 * $a * $b * (2 - $b) / $p)) / (2 * $b * (2 - $b))}]
        set epoch [expr {($b * $W / $a + 1) * $rtt}]
        set begin [expr {int(ceil(20 * $epoch))}]
        set end [expr {$begin + int(ceil(300 * $epoch))}]
        set index [llength $cells]
        lappend cells [list "\"tcp($a, $b)\"" $n $begin $end]

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

        set tcp($index) [new Agent/TCP/Sack1]
        $tcp($index) set increase_num_ $a
        $tcp($index) set decrease_num_ [expr {1 - $b}]
        set sink [new Agent/TCPSink/Sack1]
        $ns attach-agent $from $tcp($index)
        $ns attach-agent $to $sink
        $ns connect $tcp($index) $sink
        set ftp [new Application/FTP]
        $ftp attach-agent $tcp($index)
        $ns at 0 "$ftp start"
        $ns at $begin "count $index begin"
        $ns at $end "count $index end; $ftp stop"
        set last [expr {max($last, $end)}]
    }
}

$ns at [expr {$last + 1}] {
    puts "control,period,begin_s,end_s,sent,acked"
    foreach cell $cells index [lsearch -all $cells *] {
        puts "[join $cell ,],[expr {$sent($index,end) - $sent($index,begin)}],[expr {$acked($index,end) - $acked($index,begin)}]"
    }
    exit 0
}
$ns run
