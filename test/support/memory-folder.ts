import { accessSync, constants, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Linux has a file system in memory here. Containers often give it 64 MB only, and a whole run needs several hundred. */
const inMemory = '/dev/shm'
const neededBytes = 2 ** 31

/**
 * A new folder for databases that are gone when the run is over. It is in memory where the system has room there: on a disk, the
 * system takes a fifth more processor time, several times as much when the disk is busy, and every commit waits.
 */
export const memoryFolder = (prefix: string): string =>
  mkdtempSync(join(hasRoom(inMemory) ? inMemory : tmpdir(), prefix))

function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= neededBytes
  } catch {
    return false
  }
}
