# ns-2's counterpart of `validation.low`: ten flows of one law with Reno recovery under a schedule that ends at two packets a round trip.
# With jitter flow i starts at 0.1 i s, as in the other cells. Without, nothing but the starts differs between seeds.
#
#   ns validation/ns2_low.tcl SEED SCHEDULE.csv LAW JITTER_S [SAMPLES]
#
# LAW is increase_num_:decrease_num_:k_parameter_:l_parameter_ of ns-2's binomial windows. With SAMPLES the run ends after 1.2 s, before
# the first loss, and that file gets what was sent, acknowledged and sampled.
#
# What: the dumbbell of data/README.md. Prints the bottleneck's events as ns-2 traces them;
# ns2_low.py reads them. Source: the ns Manual (Fall & Varadhan); ns-2 2.35 (Debian 2.35+dfsg-5).

foreach {seed schedule law jitter samples} $argv break
foreach {increase decrease k l} [split $law :] break

remove-all-packet-headers
add-packet-header IP TCP Common Flags RTP

Agent/TCP set packetSize_ 960                ;# + 40 bytes of header = 1000 bytes on the wire
Agent/TCP set tcpip_base_hdr_size_ 40
Agent/TCP set window_ 1000000                ;# the receiver never limits
Agent/TCP set windowInit_ 2                  ;# initial_window
Agent/TCP set rtxcur_init_ 3.0               ;# initial_rto
Agent/TCP set minrto_ 0.2                    ;# min_rto
Agent/TCP set tcpTick_ 0.01                  ;# timer_tick
Agent/TCP set singledup_ 1                   ;# limited_transmit
Agent/TCP set timestamps_ false
Agent/TCP set overhead_ $jitter
Agent/TCP set windowOption_ 6                ;# binomial windows
Agent/TCP set increase_num_ $increase
Agent/TCP set decrease_num_ $decrease
Agent/TCP set k_parameter_ $k
Agent/TCP set l_parameter_ $l
Agent/TCPSink set packetSize_ 40             ;# ack_bytes

ns-random $seed
set ns [new Simulator]
set starts [new RandomVariable/Uniform]
$starts set min_ 0
$starts set max_ 1
set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right 100Mb 40ms DropTail
$ns simplex-link $right $left 100Mb 40ms DropTail
$ns queue-limit $left $right 1500
$ns queue-limit $right $left 10000
$ns trace-queue $left $right stdout

for {set i 0} {$i < 10} {incr i} {
    set from [$ns node]
    $ns duplex-link $from $left 1Gb [expr {0.06 * (0.95 + 0.1 * ((7 * $i) % 10) / 9.0) - 0.04}] DropTail
    $ns queue-limit $from $left 100000
    set agent [new Agent/TCP/Reno]
    $agent set fid_ $i
    # A class takes a variable of any name; an agent has only those that ns-2 reads.
    foreach name {windowOption_ increase_num_ decrease_num_ k_parameter_ l_parameter_} { $agent set $name }
    $ns attach-agent $from $agent
    set sink [new Agent/TCPSink]
    $ns attach-agent $right $sink
    $ns connect $agent $sink
    set ftp [new Application/FTP]
    $ftp attach-agent $agent
    $ns at [expr {$jitter > 0 ? 0.1 * $i : [$starts value]}] "$ftp start"
    if {$samples ne ""} {
        if {$i == 0} { set sampled [open $samples w] }
        foreach variable {maxseq_ ack_ rtt_} { $agent trace $variable }
        $agent attach $sampled
    }
}

set udp [new Agent/UDP]
$udp set packetSize_ 1000
$udp set fid_ 10
$ns attach-agent $left $udp
set null [new Agent/Null]
$ns attach-agent $right $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr set packetSize_ 1000
$cbr attach-agent $udp

proc leave {bps} {
    global cbr
    $cbr stop
    $cbr set rate_ [expr {100e6 - 10 * $bps}]
    $cbr start
}

set file [open $schedule]
gets $file
while {[gets $file line] >= 0} {
    foreach {at bps} [split $line ,] break
    $ns at $at "leave $bps"
}
$ns at [expr {$samples eq "" ? 60.0 : 1.2}] "exit 0"
$ns run
