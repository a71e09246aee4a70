import { spawn } from 'node:child_process'

/** Opens a page in the browser: the program in BROWSER, or the system's own. `failed` is called where none could be started. */
export function openPage(url: string, failed: () => void): void {
  const [program, ...args] = process.env.BROWSER ? [process.env.BROWSER] : systemOpener(process.platform)
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.once('error', failed)
  child.once('exit', (code) => code !== 0 && failed())
  child.unref()
}

const systemOpener = (platform: NodeJS.Platform): [string, ...string[]] => {
  if (platform === 'darwin') return ['open']
  // The first argument of start is the title of a window.
  return platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open']
}
