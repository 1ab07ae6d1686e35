package porttest

import (
	"testing"
)

// settings of the USARTs: BRR for 921600 baud, pins, interrupts. A bus clock
// of 168 MHz / 4 = 42 MHz gives 45.57, 46; USART1 at 84 MHz / 2 the same.
var settings = map[string][]scenario{
	"f4": {
		{name: "prescaler 4", script: "poke 0x40023808 0x9400\ninit\npeek 0x40004408\nline 38\nline 17\nline 16\n",
			registers: map[uint32]uint32{0x40004408: 46}, lines: map[int]int{38: 255, 17: 255}},
		{name: "prescaler 1", script: "poke 0x40023808 0x8000\ninit\npeek 0x40004408\n", registers: map[uint32]uint32{0x40004408: 182}},
		{name: "prescaler 16", script: "poke 0x40023808 0x1c00\ninit\npeek 0x40004408\npeek 0x4000440c\n",
			// 10.5 MHz / 921600 = 11.39: below 16, so 8 samples a bit: 11 = 1 * 8 + 3
			registers: map[uint32]uint32{0x40004408: 1<<4 | 3, 0x4000440c: 1<<15 | 1<<13 | 1<<5 | 3<<2}},
	},
	"f7": {{name: "prescaler 4", script: "poke 0x40023808 0x9400\ninit\npeek 0x4000480c\n", registers: map[uint32]uint32{0x4000480c: 59}}},
	"h7": {
		// 480 MHz / 2 (HPRE 1000) / 2 (D2PPRE1 100) = 120 MHz: 130.2
		{name: "prescalers 2 and 2", script: "poke 0x58024418 0x48\npoke 0x5802441c 0x440\ninit\npeek 0x4000480c\n", registers: map[uint32]uint32{0x4000480c: 130}},
		// 480 MHz / 64 (1100) = 7.5 MHz: 8.14, 8 samples a bit
		{name: "prescaler 64", script: "poke 0x58024418 0x4c\ninit\npeek 0x4000480c\npeek 0x40004800\n",
			registers: map[uint32]uint32{0x4000480c: 1 << 4, 0x40004800: 1<<15 | 1<<5 | 3<<2 | 1}},
		{name: "revision Y", script: "poke 0x5C001000 0x10030450\ninit\nsend 0x24000000 0102\nsteps 4\n", out: "0102", sent: 1, interrupts: 1},
		{name: "revision V", script: "poke 0x5C001000 0x20030450\ninit\nsend 0x24000000 0102\nsteps 4\n", out: "0102", sent: 1, interrupts: 1},
	},
}

// Memory that only the core reaches: the packet goes out all the same, byte by
// byte.
var (
	coreCoupled = []scenario{{name: "CCM", script: "init\nsend 0x10000010 " + packet(30) + "\nsteps 40\n", out: packet(30), sent: 1}}
	dtcm        = []scenario{{name: "DTCM", script: "cache 1\npoke 0xE000ED14 0x10000\ninit\nnext 0x24000000 0a0b\nsend 0x2001FFE0 " + packet(30) + "\nsteps 40\n",
		out: packet(30) + "0a0b", sent: 2}}
	f7dtcm = []scenario{{name: "DTCM", script: "init\nsend 0x20000000 " + packet(30) + "\nsteps 40\n", out: packet(30), sent: 1, interrupts: 1}}
)

var tests = []struct {
	name    string
	machine machine
	list    []scenario
}{
	{"STM32F4 USART2", stm32f4, all(everyPort, struck(), overrun("01"), stm32Receiving, dmaSending("0x20000101"), coreCoupled, settings["f4"])},
	{"STM32F4 USART1", stm32f4usart1, all(everyPort, dmaSending("0x20000101"))},
	{"STM32F4 USART6", stm32f4usart6, all(everyPort, dmaSending("0x20000101"))},
	{"STM32F4 UART5", stm32f4uart5, all(everyPort, dmaSending("0x20000101"))},
	{"STM32F4 USART3 by stream 4", stm32f4usart3, all(everyPort, dmaSending("0x20000101"))},
	{"STM32F4 without DMA", stm32f4interrupt, all(everyPort, struck(), overrun("01"), stm32Receiving, coreCoupled)},
	{"STM32F7 USART3", stm32f7, all(everyPort, struck(), overrun("01"), stm32Receiving, dmaSending("0x20000101"), cached(0x24000000), f7dtcm, settings["f7"])},
	{"STM32F7 UART7", stm32f7uart7, all(everyPort, dmaSending("0x20000101"))},
	{"STM32H7 USART3", stm32h7, all(everyPort, struck(), overrun("01"), stm32Receiving, dmaSending("0x24000101"), cached(0x24000000), dtcm, settings["h7"])},
	{"STM32H7 USART1", stm32h7usart1, all(everyPort, dmaSending("0x24000101"))},
	{"CMSDK", cmsdk, all(everyPort, struck(), overrun("01"), cmsdkSettings)},
	{"CMSDK polled", cmsdkPolled, polling(all(everyPort, struck(), overrun("01")))},
	{"generic, level", level, all(everyPort, struck(), overrun("0102"))},
	{"generic, level, FIFO", levelFIFO, all(everyPort, struck(), overrun("0102"))},
	{"generic, edge", edge, all(everyPort, struck(), overrun("0102"))},
	{"generic, edge, FIFO", edgeFIFO, polling(all(everyPort, struck(), overrun("0102")))},
	{"generic, an interrupt missed", forgetful, polling(all(everyPort, struck(), overrun("0102")))},
}

// 25 MHz / 921600 = 27.13
var cmsdkSettings = []scenario{
	{name: "divider", script: "init\npeek 0x40004010\nline 0\nline 1\nline 2\n", registers: map[uint32]uint32{0x40004010: 27}, lines: map[int]int{0: 255, 1: 255}},
	{name: "left by a boot loader", script: "fault boot\ninit\nrx 02\nburst 030405\nrx 06\npeek 0x40004004\n", in: "020306", registers: map[uint32]uint32{0x40004004: 0}},
}

func TestPorts(t *testing.T) {
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wrong, err := verdicts(test.machine.build(t), test.list)
			if err != nil {
				t.Fatal(err)
			}
			for i, err := range wrong {
				if err != nil {
					t.Errorf("%s: %v\n%s", test.list[i].name, err, test.list[i].script)
				}
			}
		})
	}
}
