// A low pass of 32 taps and a Butterworth of fourth order in two sections.
#include "filter.h"

#include "fixed.h"

static const int16_t taps[FIR_TAPS] = {
	-42, -64, -62, 0, 139, 295, 323, 73, -462, -1036, -1192, -475, 1280, 3749, 6176, 7682,
	7682, 6176, 3749, 1280, -475, -1192, -1036, -462, 73, 323, 295, 139, 0, -62, -64, -42,
};

const int16_t biquad_section1[5] = {701, 1401, 701, -19857, 6276};
const int16_t biquad_section2[5] = {856, 1712, 856, -24255, 11295};

int16_t fir_apply(void *state, int16_t x) {
	struct fir *f = state;
	f->history[f->next] = f->history[f->next + FIR_TAPS] = x;
	f->next = (f->next + 1) % FIR_TAPS;
	const int16_t *window = f->history + f->next;
	int32_t sum = 1 << 14;
	for (int i = 0; i < FIR_TAPS; i++)
		sum += (int32_t)taps[i] * window[i];
	return saturate_q15(sum >> 15);
}

int16_t biquad_apply(void *state, int16_t x) {
	struct biquad *b = state;
	const int16_t *c = b->coefficients;
	int32_t y = (c[0] * x + c[1] * b->x1 + c[2] * b->x2 - c[3] * b->y1 - c[4] * b->y2) >> 14;
	b->x2 = b->x1;
	b->x1 = x;
	b->y2 = b->y1;
	b->y1 = saturate_q15(y);
	return (int16_t)b->y1;
}

int16_t chain_run(const struct stage *stages, size_t count, int16_t x) {
	for (size_t i = 0; i < count; i++)
		x = stages[i].apply(stages[i].state, x);
	return x;
}
