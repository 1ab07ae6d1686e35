/*
 * calls.c: a QEMU plugin that counts instructions, and notes for every call of chosen functions how many
 * were executed when it began and when it returned.
 *
 *   -plugin calls.so,in=FILE,out=FILE
 *
 * in: lines of "KIND ADDRESS [ADDRESS ID]", addresses hexadecimal without the Thumb bit:
 *   f A       a call of the function at A is written to out
 *   h A       A is a hook: what executes in it and in what it calls is counted apart
 *   x A N     A is the handler of exception N; its instructions are those of context 256 + N
 *   y A N     the same, but they count to what it interrupts
 *   s A       the instruction at A loads registers from the stack of the task that is to run
 *   t LO HI N that stack lies in [LO, HI) where task N is to run; else it is task 0
 *   r A       where the program begins after a reset: nothing is open there
 *   b A       code begins at A
 *
 * out, little-endian, in the order of return: 48 bytes for each call, see struct call.
 *
 * A call is a BL or BLX that arrives at another place than behind itself; it returns when an instruction that may be a
 * return arrives at the return address of the innermost open call. Handlers are entered by exceptions alone.
 */
#include "api.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

enum flow { ONWARD, CALL, RETURN };
enum mark { NOTED = 1, HOOK = 2, HANDLER = 4, COUNTS_BELOW = 8, RESUMES = 16, BEGINS = 32 };

/* An instruction. */
struct place {
	uint32_t at, after; /* its address, and that of what follows it in memory */
	uint8_t flow, mark;
	uint16_t exception; /* HANDLER */
};

struct counters {
	uint64_t all, hooks; /* instructions; hooks: of all, those in hooks */
};

struct frame {
	const struct place *entry;
	uint32_t ret; /* INTERRUPTED: to no address */
	bool tail;    /* jumped to by the frame below */
	struct counters world, own; /* when it was entered */
};

/* What runs: a task, or one activation of a handler. */
struct context {
	uint32_t id;
	const struct place *handler, *last; /* last: the instruction before */
	struct counters own;
	unsigned hooks, depth; /* open calls of hooks, of all */
	struct frame frame[256];
};

struct call {
	uint32_t function, context;
	uint64_t entry, exit; /* instructions since power-on, of everything, hooks too */
	uint64_t hooks;       /* of these, between entry and exit, in hooks */
	uint64_t own;         /* between entry and exit in this context, hooks too */
	uint64_t own_hooks;   /* of own, in hooks */
};

enum { TASKS = 16, NESTED = 32, PLACES = 1 << 20, INTERRUPTED = 1 };

static struct place *places[PLACES]; /* by address / 2: code of 2 MiB from base */
static uint32_t base;
static struct context tasks[TASKS], handlers[NESTED];
static unsigned task, nested; /* handlers that are active */
static struct counters world;
static struct { uint32_t low, high, id; } stacks[TASKS];
static unsigned n_stacks;
static struct { uint32_t at; uint8_t mark; uint16_t exception; } marks[4096];
static unsigned n_marks;
static FILE *out;

static void fail(const char *what) {
	fprintf(stderr, "calls: %s\n", what);
	exit(1);
}

static struct context *running(void) { return nested ? &handlers[nested - 1] : &tasks[task]; }

/* Registers and kinds: ARM DDI 0403E, A7.7. */
static enum flow flow_of(const uint8_t *code, size_t size) {
	uint32_t first = code[0] | code[1] << 8;
	if (size == 2) {
		if ((first & 0xFF87) == 0x4780) /* BLX register */
			return CALL;
		if (first == 0x4770 || (first & 0xFF00) == 0xBD00 || first == 0x46F7) /* BX LR, POP with PC, MOV PC, LR */
			return RETURN;
		return ONWARD;
	}
	uint32_t second = code[2] | code[3] << 8;
	if ((first & 0xF800) == 0xF000 && (second & 0xD000) == 0xD000) /* BL */
		return CALL;
	if ((first == 0xE8BD && second & 0x8000) || (first == 0xF85D && second == 0xFB04)) /* LDM SP!, with PC; LDR PC, [SP], #4 */
		return RETURN;
	return ONWARD;
}

static void enter(struct context *c, const struct place *p, uint32_t ret, bool tail) {
	if (c->depth == sizeof c->frame / sizeof c->frame[0])
		fail("calls too deep");
	c->frame[c->depth++] = (struct frame){p, ret, tail, world, c->own};
	c->hooks += p->mark & HOOK ? 1 : 0;
}

static void leave(struct context *c) {
	struct frame *f = &c->frame[--c->depth];
	c->hooks -= f->entry->mark & HOOK ? 1 : 0;
	if (!(f->entry->mark & NOTED))
		return;
	struct call call = {f->entry->at, c->id, f->world.all, world.all, world.hooks - f->world.hooks,
	                    c->own.all - f->own.all, c->own.hooks - f->own.hooks};
	if (fwrite(&call, sizeof call, 1, out) != 1)
		fail("cannot write");
}

static void begin_handler(const struct place *p) {
	if (nested == NESTED)
		fail("too many exceptions");
	struct context *c = &handlers[nested++];
	c->id = 256u + p->exception;
	c->handler = p;
	c->last = NULL;
	c->depth = c->hooks = 0;
	c->own = (struct counters){0, 0};
	enter(c, p, INTERRUPTED, false);
}

static void end_handler(void) {
	struct context *c = running();
	while (c->depth)
		leave(c);
	nested--;
	if (c->handler->mark & COUNTS_BELOW) {
		running()->own.all += c->own.all;
		running()->own.hooks += c->own.hooks;
	}
}

/* The innermost call returned, and those that had jumped to it. */
static void returned(struct context *c, uint32_t to) {
	bool tail = true;
	while (tail && c->depth && c->frame[c->depth - 1].ret == to) {
		tail = c->frame[c->depth - 1].tail;
		leave(c);
	}
}

/* Follows the stack of calls to the instruction p. */
static void arrive(const struct place *p) {
	for (;;) {
		struct context *c = running();
		const struct place *last = c->last;
		bool handler_ends = nested && last->flow == RETURN && p->at != last->after && c->frame[c->depth - 1].ret == INTERRUPTED;
		if (handler_ends) { /* what it interrupted goes on to p, or another handler begins */
			end_handler();
			continue;
		}
		if (p->mark & HANDLER && !(nested && c->handler == p)) {
			begin_handler(p);
			return;
		}
		if (last == NULL || p->at == last->after)
			return;
		if (last->flow == CALL)
			enter(c, p, last->after, false);
		else if (last->flow == RETURN)
			returned(c, p->at);
		else if (p->mark & (NOTED | HOOK) && c->depth && p != c->frame[c->depth - 1].entry)
			enter(c, p, c->frame[c->depth - 1].ret, true);
		return;
	}
}

static void restart(void) {
	nested = task = 0;
	for (unsigned i = 0; i < TASKS; i++) {
		tasks[i].depth = tasks[i].hooks = 0;
		tasks[i].last = NULL;
	}
}

static void execute(unsigned vcpu, void *data) {
	const struct place *p = data;
	(void)vcpu;
	if (p->mark & BEGINS)
		restart();
	arrive(p);
	struct context *c = running();
	world.all++;
	c->own.all++;
	if (c->hooks) {
		world.hooks++;
		c->own.hooks++;
	}
	c->last = p;
}

/* The task whose stack is at address runs next. */
static void resume(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void *data) {
	(void)vcpu, (void)info, (void)data;
	task = 0;
	for (unsigned i = 0; i < n_stacks; i++)
		if (address >= stacks[i].low && address < stacks[i].high)
			task = stacks[i].id;
}

static struct place *place_of(const struct qemu_plugin_insn *insn) {
	uint32_t at = (uint32_t)qemu_plugin_insn_vaddr(insn);
	size_t size = qemu_plugin_insn_size(insn);
	if (at < base || (at - base) / 2 >= PLACES)
		fail("code outside of the first 2 MiB");
	struct place **slot = &places[(at - base) / 2];
	if (*slot)
		return *slot;
	struct place *p = calloc(1, sizeof *p);
	if (!p)
		fail("no memory");
	*p = (struct place){at, at + (uint32_t)size, flow_of(qemu_plugin_insn_data(insn), size), 0, 0};
	for (unsigned i = 0; i < n_marks; i++)
		if (marks[i].at == at) {
			p->mark |= marks[i].mark;
			p->exception |= marks[i].exception;
		}
	return *slot = p;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb) {
	(void)id;
	for (size_t i = 0; i < qemu_plugin_tb_n_insns(tb); i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		struct place *p = place_of(insn);
		qemu_plugin_register_vcpu_insn_exec_cb(insn, execute, QEMU_PLUGIN_CB_NO_REGS, p);
		if (p->mark & RESUMES) /* it only reads; QEMU 7.2 takes reads for writes */
			qemu_plugin_register_vcpu_mem_cb(insn, resume, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW, NULL);
	}
}

static void finish(qemu_plugin_id_t id, void *data) {
	(void)id, (void)data;
	struct call end = {.entry = world.all, .exit = world.all, .hooks = world.hooks};
	fwrite(&end, sizeof end, 1, out);
	if (fclose(out) != 0)
		fail("cannot write");
}

static uint8_t mark_of(char kind) {
	switch (kind) {
	case 'f': return NOTED;
	case 'h': return HOOK;
	case 'x': return HANDLER;
	case 'y': return HANDLER | COUNTS_BELOW;
	case 's': return RESUMES;
	default: return BEGINS;
	}
}

static void read_marks(const char *path) {
	FILE *in = fopen(path, "r");
	if (!in)
		fail("cannot open in=");
	char kind;
	uint32_t a, b, n;
	char line[80];
	while (fgets(line, sizeof line, in)) {
		b = n = 0;
		if (sscanf(line, "t %" SCNx32 " %" SCNx32 " %" SCNu32, &a, &b, &n) == 3) {
			if (n_stacks == TASKS || n >= TASKS)
				fail("too many tasks");
			stacks[n_stacks].low = a, stacks[n_stacks].high = b, stacks[n_stacks++].id = n;
			continue;
		}
		if (sscanf(line, "%c %" SCNx32 " %" SCNu32, &kind, &a, &n) < 2 || !strchr("fhxysrb", kind))
			fail("a line of in= is malformed");
		if (kind == 'b') {
			base = a;
			continue;
		}
		if (n_marks == sizeof marks / sizeof marks[0])
			fail("too many marks");
		marks[n_marks].at = a;
		marks[n_marks].exception = (uint16_t)n;
		marks[n_marks++].mark = mark_of(kind);
	}
	fclose(in);
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv) {
	(void)info;
	for (int i = 0; i < argc; i++)
		if (!strncmp(argv[i], "in=", 3))
			read_marks(argv[i] + 3);
		else if (!strncmp(argv[i], "out=", 4))
			out = fopen(argv[i] + 4, "wb");
	if (!out)
		fail("cannot open out=");
	for (unsigned i = 0; i < TASKS; i++)
		tasks[i].id = i;
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	qemu_plugin_register_atexit_cb(id, finish, NULL);
	return 0;
}
