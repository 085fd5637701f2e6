module allready.dev/xtask/peers/compare/wire

go 1.26.0
