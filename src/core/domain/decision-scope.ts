/**
 * How far a decision goes. `once`: for a call of these very arguments, and where it is approved and cannot start, for the
 * next one. `run` and `always`: for each call of the tool that the same rule asks about, or the tool's needs, in this run or
 * in all runs for the same user.
 */
export type DecisionScope = 'once' | 'run' | 'always'
