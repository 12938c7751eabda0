const mark = '.said.'

/** Returns the id of the message in which a run continues after a message that arrived while it waited. */
export function heldId(runId: string, saidId: string): string {
  return `${runId}${mark}${saidId.slice(0, 200)}`
}

/** Returns true for the id of such a message of a run. */
export function isHeldId(messageId: string, runId: string): boolean {
  return messageId.startsWith(`${runId}${mark}`)
}

/**
 * Returns the id under which a message of a run asks about a suspension. A client answers the first message that asks under
 * an id, and sends the last one: each message asks under an id of its own.
 */
export function approvalIdIn(messageId: string, runId: string, suspensionId: string): string {
  return isHeldId(messageId, runId) ? `${suspensionId}${messageId.slice(runId.length)}` : suspensionId
}

/** Returns true for an id under which some message asks about a suspension. */
export function isAskedAs(approvalId: string, suspensionId: string): boolean {
  return approvalId === suspensionId || approvalId.startsWith(`${suspensionId}${mark}`)
}
