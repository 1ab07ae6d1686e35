package cortexm

// BelieveSwift makes s read registers as those of a core that was found fast.
func (s *Sampler) BelieveSwift() {
	s.planner.steps.swift = true
	s.replan()
}

// PlanAside makes plans as a run on the host's clock does.
func (s *Sampler) PlanAside() { s.background = true }
