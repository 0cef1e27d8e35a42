"""The network under cocotb: nodes send the worms of stimulus.txt, and a scoreboard has the model's
arrivals of expected.txt. Run it with `make cocotb`, which needs cocotb 2 and Icarus Verilog."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
HDR, HEAD, TAIL, DATA, ENC_BITS = 2, 0, 1, 6, 3
NONE = (1 << 32) - 1


def parameters():
    """The sizes of the design: name and value of each localparam of parameters.svh."""
    words = (line.split() for line in (HERE / "parameters.svh").read_text().splitlines())
    return {word[2]: int(word[4].rstrip(";")) for word in words if word[:1] == ["localparam"]}


class Worm:
    """A worm of stimulus.txt."""

    def __init__(self, line):
        ready, source, enc, header, length, *data = line.split()
        self.ready, self.source, self.enc, self.length = int(ready), int(source), int(enc), int(length)
        self.header, self.header_flits = [int(word, 16) for word in data], int(header)
        assert len(self.header) == (self.header_flits or 1)

    def bits(self, index, flit_bits, otherwise):
        """Bits of a flit above which its numbers are: a header beside the data is in the first flit."""
        if self.header_flits == 0 and index == 0:
            return self.header[0] << flit_bits | otherwise
        return self.header[index] if index < self.header_flits else otherwise


def folded(number, bits):
    """The sum of a number's digits of some bits, modulo 2^bits (R2.11)."""
    total = 0
    while bits and number:
        total, number = total + number % (1 << bits), number >> bits
    return total % (1 << bits)


def payload(worm, index, flit_bits):
    """Payload is a function of the worm and the index of the flit (R2.6 to R2.12)."""
    data = 0
    for word in range((flit_bits + 63) // 64):
        bits = flit_bits - 64 * word
        if bits >= 64:
            value = (worm & 0xFFFF) << 48 | index << 16 | word & 0xFFFF
        else:
            lower = (bits + 1) // 2
            value = folded(worm, bits - lower) << lower | folded(index, lower)
        data |= value << (64 * word)
    return data


def events():
    """The stalls and the flits that leave receive buffers, of events.txt."""
    first, *rest = (HERE / "events.txt").read_text().splitlines()
    stalls, rows = int(first.split()[0]), [list(map(int, line.split())) for line in rest]
    return rows[:stalls], rows[stalls:]


async def scoreboard(dut):
    """Drives the software of all nodes, and returns the arrivals."""
    from cocotb.clock import Clock
    from cocotb.triggers import FallingEdge, RisingEdge, Timer

    of = parameters()
    nodes, lanes, flit_bits = of["Nodes"], of["InjectionLanes"], of["FlitBits"]
    worm_bits, length_bits, consumes = of["WormBits"], of["LengthBits"], of["ConsumptionLanes"]
    first, *rest = (HERE / "stimulus.txt").read_text().splitlines()
    cycles, worms = int(first.split()[1]), [Worm(line) for line in rest]
    queues = [[n for n, worm in enumerate(worms) if worm.source == node] for node in range(nodes)]
    data_bits = flit_bits + of["HeaderBits"]
    width = DATA + data_bits + worm_bits + length_bits
    stalls, freed = events()
    space_bits = max(1, of["Space"].bit_length())

    def field(value, at, bits):
        return value >> (at * bits) & ((1 << bits) - 1)

    def drive_queues(now):
        pins = dict.fromkeys(("wait_i", "worm_i", "enc_i", "header_i", "length_i"), 0)
        for node, queue in enumerate(queues):
            for k, number in enumerate(queue[:lanes]):
                worm, at = worms[number], node * lanes + k
                if worm.ready > now:
                    break
                pins["wait_i"] |= 1 << at
                pins["worm_i"] |= number << (at * worm_bits)
                pins["enc_i"] |= worm.enc << (at * ENC_BITS)
                pins["header_i"] |= worm.header_flits << (at * length_bits)
                pins["length_i"] |= worm.length << (at * length_bits)
        for pin, value in pins.items():
            getattr(dut, pin).value = value

    def disturb(now):
        names = ("stalled_nodes_i", "stalled_injections_i", "stalled_outputs_i")
        pins = dict.fromkeys((*names, "freed_i"), 0)
        for kind, pin, begin, end in stalls:
            if begin <= now < end:
                pins[names[kind]] |= 1 << pin
        while freed and freed[0][0] <= now:
            _, lane, flits = freed.pop(0)
            pins["freed_i"] += flits << (lane * space_bits)
        for pin, value in pins.items():
            getattr(dut, pin).value = value

    def drive_data():
        asked, indices, data = int(dut.worm_o.value), int(dut.index_o.value), 0
        for at in range(nodes * lanes):
            number, index = field(asked, at, worm_bits), field(indices, at, length_bits)
            bits = payload(number, index, flit_bits)
            bits = worms[number].bits(index, flit_bits, bits) if number < len(worms) else bits
            data |= (index << (worm_bits + data_bits) | number << data_bits | bits) << (at * (width - DATA))
        dut.data_i.value = data

    cocotb_clock = Clock(dut.clk_i, 1000, unit="ps")
    cocotb_clock.start()
    dut.rst_ni.value, dut.data_i.value = 0, 0
    drive_queues(0)
    disturb(0)
    for _ in range(4):
        await RisingEdge(dut.clk_i)
    await Timer(100, unit="ps")
    dut.rst_ni.value = 1
    arrivals, heads = [], {}
    for now in range(cycles):
        await Timer(100, unit="ps")
        drive_data()
        await FallingEdge(dut.clk_i)
        taken = int(dut.taken_o.value)
        for at in (at for at in range(nodes * consumes) if taken >> at & 1):
            flit = dut.taken_flit_o.value[(at + 1) * width - 1:at * width].to_unsigned()
            number, index = field(flit >> (DATA + data_bits), 0, worm_bits), flit >> (width - length_bits)
            if flit >> HEAD & 1:
                heads[at] = index
            if not flit >> HDR & 1:
                data = field(flit >> DATA, 0, flit_bits)
                assert data == payload(number, index, flit_bits), f"cycle {now}: flit {index} of worm {number}: {data:x}"
            if flit >> TAIL & 1:
                arrivals.append((now, at // consumes, at % consumes, number, index - heads[at] + 1))
        begun = int(dut.begun_o.value)
        for node, queue in enumerate(queues):
            del queue[:bin(field(begun, node, lanes)).count("1")]
        await RisingEdge(dut.clk_i)
        await Timer(100, unit="ps")
        drive_queues(now + 1)
        disturb(now + 1)
    return arrivals


def main():
    """Builds the network with Icarus Verilog, and runs the tests of this file."""
    from cocotb_tools.runner import get_results, get_runner

    runner = get_runner("icarus")
    of, build = parameters(), HERE.parent / "build" / "cocotb"
    runner.build(sources=sys.argv[1:], hdl_toplevel="network", build_dir=build, timescale=("1ns", "1ps"),
                 parameters={"IdBits": of["WormBits"] + of["LengthBits"]},
                 build_args=["-g2012", "-DWORMSCOPE_ASSERTIONS"])
    results = runner.test(hdl_toplevel="network", test_module=Path(__file__).stem, build_dir=build, test_dir=HERE)
    tests, failed = get_results(results)
    sys.exit(f"{failed} of {tests} tests failed" if failed else 0)


if __name__ == "__main__":
    main()
else:
    import cocotb

    @cocotb.test()
    async def all_arrivals_are_those_of_the_model(dut):
        arrivals = await scoreboard(dut)
        expected = [tuple(map(int, line.split())) for line in (HERE / "expected.txt").read_text().splitlines()[1:]]
        assert arrivals == expected
        cocotb.log.info("all %d arrivals are as the model says", len(arrivals))
