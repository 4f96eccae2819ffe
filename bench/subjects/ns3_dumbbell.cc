// The benchmark's dumbbell for ns-3: N greedy SACK flows share one drop-tail bottleneck.
//
//   ns3_dumbbell SECONDS [FLOWS [MBIT_PER_S [BUFFER_PACKETS]]]
//
// What: the counterpart of the scenario in bench/scenario.py: 1000 B on the wire, one ACK per packet, RTTs spread evenly over
// 120 ms +- 5 %, access links of ten times the bottleneck's rate, starts 0.1 s apart. Prints one line `name value ...`.
// Source: the ns-3 manual, chapters "TCP models in ns-3" and "Queues"; written for ns-3.37 (Debian 12).
// Differs from ours and ns-2: recovery is ns-3's default (PRR), an ACK is 42 B plus SACK options rather than 40 B, and
// the minimum of the retransmission timer is the same 200 ms but has no tick.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

using namespace ns3;

namespace {

uint32_t Argument(int count, char* words[], int index, uint32_t otherwise)
{
    return count > index ? static_cast<uint32_t>(std::strtoul(words[index], nullptr, 10)) : otherwise;
}

// The largest resident memory since the program began, as Linux counts it; 0 elsewhere.
uint64_t PeakKilobytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
    {
        if (word == "VmHWM:")
        {
            uint64_t kilobytes = 0;
            status >> kilobytes;
            return kilobytes;
        }
    }
    return 0;
}

uint64_t drops = 0;

void CountDrop(Ptr<const Packet>)
{
    ++drops;
}

} // namespace

int main(int count, char* words[])
{
    const uint32_t seconds = Argument(count, words, 1, 10);
    const uint32_t flows = Argument(count, words, 2, 10);
    const uint32_t mbit = Argument(count, words, 3, 100);
    const uint32_t buffer = Argument(count, words, 4, 1500);

    // 1000 B on the wire are 958 B of data, 20 B of TCP, 20 B of IP and 2 B of PPP.
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpNewReno::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(958));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    // Twice what one flow could have in flight, so that neither end limits.
    const uint32_t room = 2 * (mbit * 15 + buffer) * 1000;
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(room));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(room));

    NodeContainer routers(2);
    NodeContainer senders(flows);
    InternetStackHelper internet;
    internet.Install(routers);
    internet.Install(senders);

    const auto link = [](const std::string& rate, double delay, uint32_t packets) {
        PointToPointHelper helper;
        helper.SetDeviceAttribute("DataRate", StringValue(rate));
        helper.SetChannelAttribute("Delay", TimeValue(Seconds(delay)));
        helper.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, packets)));
        return helper;
    };
    // The device's queue does not count the packet in transmission, ours does.
    NetDeviceContainer middle = link(std::to_string(mbit) + "Mbps", 0.040, buffer - 1).Install(routers);
    Ipv4AddressHelper addresses;
    addresses.SetBase("10.0.0.0", "255.255.255.252");
    Ipv4InterfaceContainer between = addresses.Assign(middle);
    // Without a queueing discipline above it, the device's drop-tail queue is the only one, as in the scenario.
    TrafficControlHelper control;
    control.Uninstall(middle);

    ApplicationContainer sinks;
    for (uint32_t flow = 0; flow < flows; ++flow)
    {
        const double share = flows > 1 ? static_cast<double>((7 * flow) % flows) / (flows - 1) : 0.0;
        const double access = 0.120 * (0.95 + 0.1 * share) / 2 - 0.040;
        NetDeviceContainer edge = link(std::to_string(std::max(1000U, 10 * mbit)) + "Mbps", access, 1000000).Install(senders.Get(flow), routers.Get(0));
        addresses.NewNetwork();
        addresses.Assign(edge);
        control.Uninstall(edge);

        const auto port = static_cast<uint16_t>(5000 + flow);
        BulkSendHelper source("ns3::TcpSocketFactory", InetSocketAddress(between.GetAddress(1), port));
        ApplicationContainer application = source.Install(senders.Get(flow));
        application.Start(Seconds(0.1 * (flow % 10) + 0.0001 * (flow / 10)));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), port));
        sinks.Add(sink.Install(routers.Get(1)));
    }
    // A packet that finds the device's queue full is dropped above it, where nothing queues.
    routers.Get(0)->GetObject<TrafficControlLayer>()->TraceConnectWithoutContext("TcDrop", MakeCallback(&CountDrop));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    const Ptr<Queue<Packet>> queue = DynamicCast<PointToPointNetDevice>(middle.Get(0))->GetQueue();
    uint64_t received = 0;
    for (uint32_t flow = 0; flow < flows; ++flow)
    {
        received += DynamicCast<PacketSink>(sinks.Get(flow))->GetTotalRx();
    }
    std::cout << "seconds " << seconds << " forwarded " << queue->GetTotalReceivedPackets() - queue->GetNPackets() << " drops " << drops
              << " bytes " << received << " peak_kb " << PeakKilobytes() << std::endl;
    Simulator::Destroy();
    return 0;
}
