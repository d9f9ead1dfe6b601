// The protocol of host calls, with the packets that waves would push.
#include "test/runtime/emulator/services/Packets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

using namespace nstf::emulator;
using namespace nstf::emulator::services;
using testing::ElementsAre;

namespace {

std::string reason(HostcallBuffer &buffer) {
  try {
    buffer.serve([](Service, Slot) {});
  } catch (const ServiceError &error) {
    return error.what();
  }
  return "served";
}

TEST(HostcallTest, EachActiveLaneIsAnsweredTheOldestPacketFirst) {
  Memory memory;
  HostcallBuffer buffer(memory, 4);
  test::Packets packets(buffer.address());
  const uint64_t first = packets.pop(), second = packets.pop();
  packets.fill(first, Service::Printf, 0b101);
  packets.fill(second, Service::DeviceMemory, uint64_t(1) << 63);
  packets.slot(first, 0)[0] = 10;
  packets.slot(first, 2)[0] = 12;
  packets.slot(second, 63)[7] = 63;
  packets.push(first);
  packets.push(second);
  std::vector<std::pair<Service, uint64_t>> seen;
  buffer.serve([&](Service service, Slot slot) {
    seen.emplace_back(service, slot[0] + slot[7]);
    slot[1] = 5;
  });
  EXPECT_THAT(seen, ElementsAre(std::pair(Service::Printf, 10), std::pair(Service::Printf, 12),
                                std::pair(Service::DeviceMemory, 63)));
  EXPECT_FALSE(packets.isReady(first));
  EXPECT_FALSE(packets.isReady(second));
  EXPECT_EQ(packets.slot(first, 2)[1], 5u);
  buffer.serve([&](Service, Slot) { ADD_FAILURE() << "nothing is ready"; });
}

TEST(HostcallTest, AsManyPacketsAsWaves) {
  Memory memory;
  for (uint32_t waves : {1u, 2u, 3u, 64u, 3328u}) {
    HostcallBuffer buffer(memory, waves);
    test::Packets packets(buffer.address());
    for (int round = 0; round < 2; ++round) { // every packet comes back
      std::vector<uint64_t> taken;
      for (uint64_t packet; (packet = packets.pop());)
        taken.push_back(packet);
      EXPECT_GE(taken.size(), waves);
      EXPECT_LT(taken.size(), 2 * uint64_t(waves) + 2);
      for (uint64_t packet : taken)
        packets.giveBack(packet);
    }
  }
}

TEST(HostcallTest, ManyThreadsCallAtOnce) {
  Memory memory;
  HostcallBuffer buffer(memory, 16);
  std::atomic<uint64_t> sum = 0;
  auto call = [&](uint64_t begin) {
    test::Packets packets(buffer.address());
    for (uint64_t i = 0; i < 2000; ++i) {
      const uint64_t packet = packets.pop();
      packets.fill(packet, Service::Printf, 1);
      packets.slot(packet, 0)[0] = begin + i;
      packets.push(packet);
      buffer.serve([&](Service, Slot slot) {
        sum += slot[0];
        slot[0] += 1;
      });
      while (packets.isReady(packet))
        std::this_thread::yield();
      EXPECT_EQ(packets.slot(packet, 0)[0], begin + i + 1);
      packets.giveBack(packet);
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t i = 0; i < 4; ++i)
    threads.emplace_back(call, i * 10000);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(sum, 4 * (1999u * 2000 / 2) + (0 + 1 + 2 + 3) * 10000 * 2000u);
}

TEST(HostcallTest, DamagedStacksAreAnError) {
  Memory memory;
  HostcallBuffer buffer(memory, 4);
  test::Packets packets(buffer.address());
  const uint64_t packet = packets.pop();
  packets.fill(packet, Service::Printf, 1);
  packets.push(packet);
  packets.setNext(packet, packet); // the stack goes round
  EXPECT_EQ(reason(buffer), "hostcall: the stack of ready packets has no end");
  buffer.reset();
  packets.push(packets.pop()); // not filled
  EXPECT_EQ(reason(buffer), "hostcall: packet 3 is on the stack but not ready");
  buffer.reset();
  packets.setReadyStack(UINT64_MAX); // any tag; the free packets
  EXPECT_EQ(reason(buffer), "hostcall: packet 0 is on the stack but not ready");
  buffer.reset();
  EXPECT_EQ(reason(buffer), "served");
}

} // namespace
