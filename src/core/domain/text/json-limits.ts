/** Objects and lists in one another that a value may hold; whatever comes in deeper is refused. */
export const maxJsonDepth = 200

/** The same for what is kept: a message or a record holds such a value a few levels down. */
export const maxKeptDepth = 220

/** Bytes of JSON text that one result, message, prompt, ticket or change of the state may have. */
export const maxJsonBytes = 50_000_000

/** The same for what is kept: the record of a call may hold a result, a ticket and changes of the state. */
export const maxKeptBytes = 4 * maxJsonBytes

/** Bytes of JSON text that the arguments of a call, or a decision with all its texts, may have. */
export const maxArgumentBytes = 1_000_000

/** Bytes of JSON text that the preview of a call may have. */
export const maxPreviewBytes = 400_000

/** Bytes a provider may send before there is a whole event in them. */
export const maxEventBytes = 20_000_000
