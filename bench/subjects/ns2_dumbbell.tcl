# The benchmark's dumbbell for ns-2: N greedy SACK flows with AIMD(1, 1/2) share one drop-tail bottleneck.
#
#   ns ns2_dumbbell.tcl SECONDS [FLOWS [MBIT_PER_S [BUFFER_PACKETS [all|needed [time|count]]]]]
#
# What: the counterpart of the scenario in bench/scenario.py, parameter by parameter (the names of both sides stand together below).
# Prints one line `name value ...`. With `count` a monitor on the bottleneck counts arrivals, departures and drops; timed runs go without
# it, in ns-2's favour. Both runs are the same packet for packet: nothing here is random.
# Source: the ns Manual (Fall & Varadhan), chapters "Links", "Agents/TCP agents" and "Mathematical support"; ns-2 2.35.

proc argument {index default} {
    global argv
    if {$index < [llength $argv]} { return [lindex $argv $index] }
    return $default
}
set seconds [argument 0 60]
set flows   [argument 1 10]
set mbit    [argument 2 100]
set buffer  [argument 3 1500]
set headers [argument 4 all]
set count   [expr {[argument 5 time] eq "count"}]

# Unless told otherwise ns-2 carries the headers of every protocol it knows in each packet; `needed` leaves only those in use.
if {$headers eq "needed"} {
    remove-all-packet-headers
    add-packet-header IP TCP Flags
}

Agent/TCP set packetSize_ 960                ;# + 40 bytes of header = 1000 bytes on the wire (packet_bytes)
Agent/TCP set tcpip_base_hdr_size_ 40
Agent/TCP set window_ 1000000                ;# the receiver never limits (receive_window = null)
Agent/TCP set windowInit_ 2                  ;# initial_window
Agent/TCP set rtxcur_init_ 3.0               ;# initial_rto
Agent/TCP set minrto_ 0.2                    ;# min_rto
Agent/TCP set maxrto_ 60                     ;# max_rto
Agent/TCP set tcpTick_ 0.01                  ;# timer_tick
Agent/TCP set singledup_ 1                   ;# limited_transmit
Agent/TCP set timestamps_ false
Agent/TCP set increase_num_ 1.0              ;# AIMD(1, 1/2)
Agent/TCP set decrease_num_ 0.5
Agent/TCPSink set packetSize_ 40             ;# ack_bytes; one ACK per packet

Queue set limit_ 1000000                     ;# access links and the way back never drop

set ns [new Simulator]
set r1 [$ns node]
set r2 [$ns node]
$ns simplex-link $r1 $r2 ${mbit}Mb 40ms DropTail
$ns simplex-link $r2 $r1 ${mbit}Mb 40ms DropTail
# ns-2 drops the arrival that finds limit_ - 1 waiting, so limit_ counts the packet in transmission, as our drop-tail does.
$ns queue-limit $r1 $r2 $buffer
if {$count} { set monitor [$ns monitor-queue $r1 $r2 ""] }

for {set i 0} {$i < $flows} {incr i} {
    # Propagation round trips spread evenly over 120 ms +- 5 %; neighbours in number are far apart in RTT.
    set rtt [expr {0.120 * (0.95 + 0.1 * ((7 * $i) % $flows) / double(max(1, $flows - 1)))}]
    set access [expr {$rtt / 2.0 - 0.040}]
    set sender [$ns node]
    $ns duplex-link $sender $r1 [expr {max(1000, 10 * $mbit)}]Mb $access DropTail
    set tcp($i) [new Agent/TCP/Sack1]
    set sink [new Agent/TCPSink/Sack1]
    $ns attach-agent $sender $tcp($i)
    $ns attach-agent $r2 $sink
    $ns connect $tcp($i) $sink
    $tcp($i) set fid_ $i
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    # Starts 0.1 s apart, all within the first second.
    $ns at [expr {0.1 * ($i % 10) + 0.0001 * ($i / 10)}] "$ftp start"
}

proc finish {} {
    global ns tcp flows seconds count monitor
    set sent 0
    set retransmits 0
    set timeouts 0
    for {set i 0} {$i < $flows} {incr i} {
        incr sent [$tcp($i) set ndatapack_]
        incr retransmits [$tcp($i) set nrexmitpack_]
        incr timeouts [$tcp($i) set nrexmit_]
    }
    set line "seconds $seconds sent $sent retransmits $retransmits timeouts $timeouts"
    if {$count} {
        $monitor instvar parrivals_ pdepartures_ pdrops_ bdepartures_
        append line " arrivals $parrivals_ forwarded $pdepartures_ drops $pdrops_ bytes $bdepartures_"
    }
    # Peak memory as the kernel counts it since the program began (Linux).
    set peak 0
    if {![catch {open /proc/self/status} status]} { regexp {VmHWM:\s+(\d+)} [read $status] match peak }
    puts "$line peak_kb $peak"
    exit 0
}
$ns at $seconds finish
$ns run
