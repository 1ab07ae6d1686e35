package symbol

import (
	"fmt"
	"slices"
	"strings"
)

// Handler names exception number exc (IPSR): "SysTick", or "IRQ 5
// (TIM2_IRQHandler)" where the vector table has a handler for it. A handler
// that many vectors share is named by what the exception means of its names,
// where that is known (see meant), else by its strong name, such as
// Default_Handler. 0, which no exception has, is one whose xPSR was not captured.
func (im *Image) Handler(exc uint16) string {
	switch {
	case exc == 0:
		return "unknown"
	case exc < 16 && exceptionNames[exc] != "":
		return exceptionNames[exc]
	case exc < 16:
		return fmt.Sprintf("reserved exception %d", exc)
	}
	s := im.vectored(exc)
	if s == nil {
		return irqLabel(exc, "")
	}
	if alias := im.meant(exc, s); alias != "" {
		return irqLabel(exc, alias)
	}
	return irqLabel(exc, im.handlerName(s))
}

// HandlerAt names exception exc, whose handler has the code at pc: the function
// that the vector leads to. Where that is not the one of the vector table, the
// program has another table, in RAM or another image, and pc names it. alias is
// the name that the exception means of several that the function has
// (TIM2_IRQHandler of Default_Handler); "" where it has no other or that is not
// known.
func (im *Image) HandlerAt(exc uint16, pc uint32) (exception, alias string) {
	exception = im.Handler(exc)
	s := im.symbols.at(pc &^ 1)
	if exc == 0 || s == nil {
		return exception, ""
	}
	alias = im.meant(exc, s)
	if v := im.vectored(exc); exc >= 16 && (v == nil || v.Low != s.Low) {
		name := alias
		if name == "" {
			name = im.handlerName(s)
		}
		return irqLabel(exc, name), alias
	}
	return exception, alias
}

func irqLabel(exc uint16, handler string) string {
	if handler == "" {
		return fmt.Sprintf("IRQ %d", exc-16)
	}
	return fmt.Sprintf("IRQ %d (%s)", exc-16, handler)
}

// vectored is the function that the vector table has for exc.
func (im *Image) vectored(exc uint16) *codeSymbol {
	if int(exc) >= len(im.vectors.words) {
		return nil
	}
	entry := im.vectors.words[exc] &^ 1
	if s := im.symbols.at(entry); s != nil && s.Low == entry {
		return s
	}
	return nil
}

// handlerName is the name that says "default" among several, else the one
// that DWARF defines.
func (im *Image) handlerName(s *codeSymbol) string {
	if len(s.aliases) > 1 {
		for _, name := range s.aliases {
			if strings.Contains(strings.ToLower(name), "default") {
				return demangled(name)
			}
		}
		if f, ok := im.Function(s.Low); ok {
			return f.Name
		}
	}
	return demangled(s.name)
}

// meant is the name among the aliases of a handler that stands for exc: by the
// names that the architecture gives the exceptions below 16, and for interrupts
// by the enumeration of their numbers (IRQn_Type) in the debug information. ""
// where the handler has one name only, or none fits.
func (im *Image) meant(exc uint16, s *codeSymbol) string {
	if len(s.aliases) < 2 {
		return ""
	}
	var names []string
	if exc < 16 {
		names = exceptionAliases[exc]
	} else if name := im.interruptName(exc - 16); name != "" {
		names = []string{bareHandler(name)}
	}
	for _, alias := range s.aliases {
		if slices.Contains(names, bareHandler(alias)) {
			return demangled(alias)
		}
	}
	return ""
}

// exceptionAliases are what handlers of the architecture's exceptions are
// called, without what bareHandler takes away: by CMSIS, libopencm3, Zephyr,
// cortex-m-rt, NuttX.
var exceptionAliases = [16][]string{
	2: {"nmi", "nonmaskableint"}, 3: {"hardfault"}, 4: {"memmanage", "memmanagement", "memorymanagement", "memmanagefault", "mpufault"}, 5: {"busfault"}, 6: {"usagefault"},
	7: {"securefault"}, 11: {"svc", "svcall"}, 12: {"debugmon", "debugmonitor"}, 14: {"pendsv"}, 15: {"systick"},
}

// bareHandler is the name of an interrupt or its handler without what naming
// schemes add: TIM2 of TIM2_IRQHandler, TIM2_IRQn, tim2_isr, isr_tim2.
func bareHandler(name string) string {
	bare := strings.Trim(strings.ToLower(name), "_")
	for _, prefix := range []string{"z_arm_", "isr_", "up_"} {
		bare = strings.TrimPrefix(bare, prefix)
	}
	for _, suffix := range []string{"_irqhandler", "_irqn", "_isr", "_handler", "_exception", "_interrupt", "irqhandler", "_irq", "handler"} {
		if cut := strings.TrimSuffix(bare, suffix); cut != bare && cut != "" {
			bare = cut
			break
		}
	}
	return strings.ReplaceAll(bare, "_", "")
}
