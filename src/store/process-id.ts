import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

/** The id of this process in the store. It says to an operator which process it is: `web-1 4711 019b…`. */
export const newProcessId = (): string => `${hostname()} ${process.pid} ${randomUUID()}`

/** Null for a process of an earlier release, whose id was random alone. */
const partsOf = (id: string): { readonly host: string; readonly pid: number } | null => {
  const [host = '', pid, random] = id.split(' ')
  return random === undefined ? null : { host, pid: Number(pid) }
}

/** `process 4711 on web-1` */
export const processText = (id: string): string => {
  const parts = partsOf(id)
  return parts ? `process ${parts.pid} on ${parts.host}` : 'a process of an earlier release'
}

/** Containers often give the same number to processes of several machines. */
export const isOwnProcess = (id: string): boolean => {
  const parts = partsOf(id)
  return parts?.pid === process.pid && parts.host === hostname()
}

/** Whether the process ran on this machine and is gone. */
export function isDead(id: string): boolean {
  const parts = partsOf(id)
  if (parts?.host !== hostname()) return false
  try {
    process.kill(parts.pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
