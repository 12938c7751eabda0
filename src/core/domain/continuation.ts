/** The way in which a run continues another run's transcript; `tag` distinguishes several of one kind. */
export type Continuation = { readonly kind: 'default' } | { readonly kind: 'rerun' | 'branch'; readonly tag: string }

/** The cause of a turn: a user's message, a call of a parent agent, the run's earlier turns, or a branch. */
export type TurnTrigger = 'user' | 'subAgent' | 'continuation' | 'branch'
