import { CommandMistake } from './command-mistake.ts'
import { beside, type ServeSettings } from './serve-settings.ts'

/** What to do about a port that cannot be listened on. */
export function portMistake(error: unknown, { host, opsPort, consolePort }: ServeSettings): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  const port = 'port' in error ? Number(error.port) : 0
  const flag = port === opsPort ? '--ops-port' : port === consolePort ? '--console-port' : '--port'
  switch (error.code) {
    case 'EADDRINUSE':
      return new CommandMistake(
        `Port ${port} on ${host} is in use. Stop what uses it, or choose another: ${flag} ${beside(port)}`,
      )
    case 'EACCES':
      return new CommandMistake(
        `Port ${port} needs more rights than this user has. Choose one above 1023: ${flag} ${port === opsPort ? 9100 : 3000}`,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new CommandMistake(
        `"${host}" is not an address of this machine. Use --host 127.0.0.1, or --host 0.0.0.0 for all of them.`,
      )
    default:
      return error
  }
}
