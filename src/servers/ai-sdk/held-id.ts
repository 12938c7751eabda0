const mark = '.said.'

/** Returns the id of the message in which a run continues after a message that arrived while it waited. */
export function heldId(runId: string, saidId: string): string {
  return `${runId}${mark}${saidId.slice(0, 200)}`
}

/** Returns true for the id of a message of a run that `heldId` returns. */
export function isHeldId(messageId: string, runId: string): boolean {
  return messageId.startsWith(`${runId}${mark}`)
}

/**
 * Returns the id under which a message of a run asks about a suspension. Each message uses its own id, because a client
 * answers the first message that uses an id, but sends only the last message.
 */
export function approvalIdIn(messageId: string, runId: string, suspensionId: string): string {
  return isHeldId(messageId, runId) ? `${suspensionId}${messageId.slice(runId.length)}` : suspensionId
}

/** Returns true for an id under which a message asks about a suspension. */
export function isAskedAs(approvalId: string, suspensionId: string): boolean {
  return approvalId === suspensionId || approvalId.startsWith(`${suspensionId}${mark}`)
}
