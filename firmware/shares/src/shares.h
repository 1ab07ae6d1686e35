// The shares of this program's functions. This file is the only place where
// they stand: the C code is made of these lists, and the Go package reads them.
//
// Every worker does the same UNIT_CYCLES of work. A list says which workers a
// caller runs, and how many times in a row, in each round of main.
#ifndef SHARES_H
#define SHARES_H

#define DAWN(X) X(amber, 3) X(blue, 7)
#define NOON(X) X(blue, 13) X(coral, 17)
#define DUSK(X) X(coral, 3) X(amber, 2) X(denim, 30)
#define NIGHT(X) X(ebony, 25)
#define DAY(X) X(dawn, 1) X(noon, 1) X(dusk, 1)

#define NIGHT_DEPTH 4 // night calls itself so many times before it runs its list

#define UNIT_ITERATIONS 1250
#define UNIT_CYCLES 5000 // UNIT_ITERATIONS * (SUBS 1 + taken BNE 3)

#define TICK_CYCLES 1600000 // period of the SysTick interrupt
#define SYSTICK_HANDLER(X) X(flash, 1)

#endif
