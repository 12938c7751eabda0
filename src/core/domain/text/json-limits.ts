/** The maximum depth of nested objects and lists in a value; deeper values are rejected. */
export const maxJsonDepth = 200

/** The maximum depth of stored values: a message or a record contains such a value a few levels down. */
export const maxKeptDepth = 220

/** The maximum bytes of JSON text of one result, message, prompt, ticket or change of the state. */
export const maxJsonBytes = 50_000_000

/** The maximum bytes of stored values: the record of a call may contain a result, a ticket and changes of the state. */
export const maxKeptBytes = 4 * maxJsonBytes

/** The maximum bytes of JSON text of a call's arguments, or of a decision with all its texts. */
export const maxArgumentBytes = 1_000_000

/** The maximum bytes of JSON text of a call's preview. */
export const maxPreviewBytes = 400_000

/** The maximum bytes that a provider may send before a complete event. */
export const maxEventBytes = 20_000_000
