import { spawn } from 'node:child_process'

/**
 * Ends a server when this process ends, even by SIGKILL: a small shell waits on a pipe that only we hold open.
 * It is its own session, so that Ctrl-C in the terminal does not reach it before it has done its work.
 */
export function watch(pidFile: string, folder: string, signal: 'KILL' | 'QUIT' = 'KILL'): () => void {
  const script = 'read -r _; kill -"$2" "$(head -n 1 "$0")" 2>/dev/null; sleep 0.5; rm -rf "$1"'
  const shell = spawn('/bin/sh', ['-c', script, pidFile, folder, signal], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  shell.unref()
  // Our end of the pipe must not keep a finished test run alive.
  const { stdin } = shell
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref()
  stdin.on('error', () => {})
  return () => shell.kill('SIGKILL')
}
