import fc from 'fast-check';

// A run that fails must fail again: properties are tried on the same values every time, unless others
// are asked for. `WAYGATE_SEED=7 npm test` looks elsewhere.
fc.configureGlobal({ seed: Number(process.env.WAYGATE_SEED ?? 1) });
