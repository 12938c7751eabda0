/** "STW1": identifies a SQLite file as a store, in the header that each SQLite file has. */
export const storeFileId = 0x53545731

/** "STWR": identifies a store of a version before the first release. */
export const unreleasedFileId = 0x53545752

/** Bytes of a file that say whether it is a store. */
export const storeHeaderBytes = 72

/** True for the beginning of a file that is a store of ours. */
export function isStoreHeader(head: Uint8Array): boolean {
  if (head.length < storeHeaderBytes || new TextDecoder('latin1').decode(head.subarray(0, 16)) !== 'SQLite format 3\0')
    return false
  return new DataView(head.buffer, head.byteOffset).getUint32(68) === storeFileId
}
