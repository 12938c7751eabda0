/**
 * The scope of a decision. `once`: a call with exactly these arguments; if an approved call cannot start, the next such
 * call. `run` and `always`: each call of the tool that the same rule or the tool's needs would ask about, in this run
 * or in all runs for the same user.
 */
export type DecisionScope = 'once' | 'run' | 'always'
