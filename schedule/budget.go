package schedule

import "time"

// budget keeps the share of time that the core stands halted within a limit: an
// account that every second of the run pays into and every halt draws on. It
// starts empty and is never overdrawn by more than one sample costs beyond what
// was expected of it, so the limit holds from the first sample on, which are the
// dear ones, and over the whole run. It holds no more than a second's worth, so the
// limit holds over any few seconds, too.
//
// The rate follows the mean cost and how full the account is, which both change
// over many samples: what one sample costs has next to no influence on when the
// next one comes (see schedule).
type budget struct {
	share   float64       // of time; 0: no limit
	balance float64       // halted time that may still be spent, ns
	at      time.Duration // when that was
	cost    float64       // mean halted time of a sample, ns
	taken   float64
	delayed uint64 // samples that came later for it
}

const (
	budgetWindow  = time.Second // whose worth the account holds, or
	budgetSamples = 6.0         // samples' worth, where a sample is dear
	costMemory    = 256.0       // samples
	costRelearn   = 32.0        // the same while the account is full or empty: the mean is wrong then
	spendLeast    = 0.75        // of the share, with an empty account
	spendMore     = 0.5         // and this more with a full one
)

// newBudget starts with an empty account. cost is what a sample is expected to
// take before one was taken.
func newBudget(share float64, cost, start time.Duration) budget {
	return budget{share: share, cost: float64(max(cost, 1)), at: start}
}

// most is what the account holds.
func (b *budget) most() float64 {
	return max(b.share*float64(budgetWindow), budgetSamples*b.cost)
}

// pay brings the account to a time.
func (b *budget) pay(now time.Duration) {
	if now > b.at {
		b.balance = min(b.balance+b.share*float64(now-b.at), b.most())
		b.at = now
	}
}

// spend notes a halt that was over at now.
func (b *budget) spend(now, halted time.Duration) {
	if b.share == 0 {
		return
	}
	b.pay(now)
	b.balance -= float64(halted)
	memory := costMemory
	if b.balance < 0 || b.balance > 0.95*b.most() {
		memory = costRelearn
	}
	b.taken++
	b.cost += (float64(halted) - b.cost) / min(b.taken, memory)
	b.cost = max(b.cost, 1)
}

// period is the mean time from halt to halt that spends what comes in: a quarter
// less with an empty account, a quarter more with a full one, so that it settles
// half full.
func (b *budget) period() float64 {
	if b.share == 0 {
		return 0
	}
	full := max(0, b.balance/b.most())
	return b.cost / (b.share * (spendLeast + spendMore*full))
}

// wait is how long from now it takes until the account holds a sample.
func (b *budget) wait(now time.Duration) float64 {
	if b.share == 0 {
		return 0
	}
	b.pay(now)
	return max(0, (b.cost-b.balance)/b.share)
}
