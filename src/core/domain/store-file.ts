/** "STW1": identifies a SQLite file as a store, in the header of the SQLite file. */
export const storeFileId = 0x53545731

/** "STWR": identifies a store of a version before the first release. */
export const unreleasedFileId = 0x53545752

/** The number of bytes that identify a file as a store. */
export const storeHeaderBytes = 72

/** Returns true for the header of one of our stores. */
export function isStoreHeader(head: Uint8Array): boolean {
  if (head.length < storeHeaderBytes || new TextDecoder('latin1').decode(head.subarray(0, 16)) !== 'SQLite format 3\0')
    return false
  return new DataView(head.buffer, head.byteOffset).getUint32(68) === storeFileId
}
