@ The bytes of the ROM, so that the simulated chip has them: no code to mprof.
    .section .romcode, "a"
    .incbin "rom.bin"
