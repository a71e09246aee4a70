import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'

/** The id of this process in the store. It says to an operator which process it is: `web-1 4711 019b…`. */
export const newProcessId = (): string => `${hostname()} ${process.pid} ${randomUUID()}`

const partsOf = (id: string): { readonly host: string; readonly pid: number } => {
  const [host = '', pid] = id.split(' ')
  return { host, pid: Number(pid) }
}

/** `process 4711 on web-1` */
export const processText = (id: string): string => {
  const { host, pid } = partsOf(id)
  return `process ${pid} on ${host}`
}

/** Containers often give the same number to processes of several machines. */
export const isOwnProcess = (id: string): boolean => {
  const { host, pid } = partsOf(id)
  return pid === process.pid && host === hostname()
}

/** Whether the process ran on this machine and is gone. */
export function isDead(id: string): boolean {
  const { host, pid } = partsOf(id)
  if (host !== hostname()) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH'
  }
}
