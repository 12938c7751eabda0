/**
 * Most files, and most functions in them, that one run of two turns with one tool call may enter. Lower a number
 * when the count falls; whoever raises one adds a sentence here that says why.
 */
export const limits = { files: 59, functions: 415 }
