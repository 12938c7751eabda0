/** The scopes of decisions, the narrowest first. */
export const decisionScopes = ['once', 'run', 'family', 'always'] as const

/**
 * The scope of a decision. `once`: a call with exactly these arguments; if an approved call cannot start, the next such
 * call. Otherwise each call of the tool that the same agent's rule or the tool's needs would ask about: in this `run`, in
 * all runs of its `family`, or `always`, in all runs of the calling agent for the same user.
 */
export type DecisionScope = (typeof decisionScopes)[number]

/** The scopes in words, for errors. */
export const scopeWords = decisionScopes.map((scope) => `"${scope}"`).join(' or ')
