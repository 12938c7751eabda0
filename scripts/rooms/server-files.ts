/** The single files of other rooms that servers import, each with its reason. */
export const serverFiles: readonly string[] = [
  // Notifications are signed and sent as events are, and go only to public addresses.
  'src/adapters/brokers/http-broker/signature.ts',
  'src/adapters/tools/guarded-fetch.ts',
  'src/core/driving/outbox-sender.ts',
  // Foreign agents end as commands do.
  'src/adapters/tools/kill-processes.ts',
]
