import { crc32 } from 'node:zlib'

export const checksum = (bytes: Uint8Array): number => crc32(bytes)

/** Whether bytes are those that were kept. Without a sum they must be some: what was let go left none of either. */
export const isWhole = ({ bytes, crc }: { readonly bytes: Uint8Array; readonly crc: number | null }): boolean =>
  crc === null ? bytes.length > 0 : crc === checksum(bytes)
