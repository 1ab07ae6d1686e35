package unwind

// Call frame instructions (DWARF 4 §7.23, table 7.23). The first three carry
// an operand in their low six bits.
const (
	cfaAdvanceLoc              = 0x40
	cfaOffset                  = 0x80
	cfaRestore                 = 0xc0
	cfaNop                     = 0x00
	cfaSetLoc                  = 0x01
	cfaAdvanceLoc1             = 0x02
	cfaAdvanceLoc2             = 0x03
	cfaAdvanceLoc4             = 0x04
	cfaOffsetExtended          = 0x05
	cfaRestoreExtended         = 0x06
	cfaUndefined               = 0x07
	cfaSameValue               = 0x08
	cfaRegister                = 0x09
	cfaRememberState           = 0x0a
	cfaRestoreState            = 0x0b
	cfaDefCFA                  = 0x0c
	cfaDefCFARegister          = 0x0d
	cfaDefCFAOffset            = 0x0e
	cfaDefCFAExpression        = 0x0f
	cfaExpression              = 0x10
	cfaOffsetExtendedSF        = 0x11
	cfaDefCFASF                = 0x12
	cfaDefCFAOffsetSF          = 0x13
	cfaValOffset               = 0x14
	cfaValOffsetSF             = 0x15
	cfaValExpression           = 0x16
	cfaMIPSAdvanceLoc8         = 0x1d
	cfaNegateRAState           = 0x2d // of pointer authentication; GNU_window_save elsewhere
	cfaGNUArgsSize             = 0x2e
	cfaGNUNegativeOffsetExtend = 0x2f
)

// DWARF expression operations (DWARF 4 §7.7.1, table 7.6) that call frame
// information may use; §6.4.2 rules out the others.
const (
	opAddr       = 0x03
	opDeref      = 0x06
	opConst1u    = 0x08
	opConst1s    = 0x09
	opConst2u    = 0x0a
	opConst2s    = 0x0b
	opConst4u    = 0x0c
	opConst4s    = 0x0d
	opConst8u    = 0x0e
	opConst8s    = 0x0f
	opConstu     = 0x10
	opConsts     = 0x11
	opDup        = 0x12
	opDrop       = 0x13
	opOver       = 0x14
	opPick       = 0x15
	opSwap       = 0x16
	opRot        = 0x17
	opAbs        = 0x19
	opAnd        = 0x1a
	opDiv        = 0x1b
	opMinus      = 0x1c
	opMod        = 0x1d
	opMul        = 0x1e
	opNeg        = 0x1f
	opNot        = 0x20
	opOr         = 0x21
	opPlus       = 0x22
	opPlusUconst = 0x23
	opShl        = 0x24
	opShr        = 0x25
	opShra       = 0x26
	opXor        = 0x27
	opBra        = 0x28
	opEq         = 0x29
	opGe         = 0x2a
	opGt         = 0x2b
	opLe         = 0x2c
	opLt         = 0x2d
	opNe         = 0x2e
	opSkip       = 0x2f
	opLit0       = 0x30
	opLit31      = 0x4f
	opBreg0      = 0x70
	opBreg31     = 0x8f
	opBregx      = 0x92
	opDerefSize  = 0x94
	opNop        = 0x96
)
