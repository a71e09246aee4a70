import { urlOf } from '../serve/url-of.ts'
import type { Given } from './command.ts'
import { FrontDoor } from './dev/front-door.ts'
import type { Opened } from './dev/messages.ts'
import { openPage } from './dev/open-page.ts'
import { Supervisor } from './dev/supervisor.ts'
import { type Letter, Terminal } from './dev/terminal.ts'
import { TypeWatch } from './dev/type-watch.ts'
import { declarationPath } from './load.ts'
import { portMistake } from './port-mistake.ts'
import { positionalsUpTo } from './positionals.ts'
import { readServeSettings, type ServeSettings, serveOptions } from './serve-settings.ts'
import { signalled } from './signalled.ts'

export const options = {
  port: serveOptions.port,
  host: serveOptions.host,
  /** The process id of the parent, in its child processes. */
  'child-of': { type: 'string' },
} as const

/** `nounkit dev [API]`: serves the API, and again at every change of its declaration. */
export async function devCommand({ flags, words }: Given<typeof options>): Promise<number> {
  const [place] = positionalsUpTo(words, 1)
  const parent = flags['child-of']
  if (parent && process.send)
    return (await import('./dev/run-declaration.ts')).runDeclaration(place ?? '.', Number(parent))
  // A declaration with mistakes is waited for; a folder without one was mistyped.
  declarationPath(place)
  return develop(place ?? '.', readServeSettings(flags))
}

async function develop(place: string, settings: ServeSettings): Promise<number> {
  const { host } = settings
  const door = new FrontDoor()
  const port = await door.listen(settings.port, host).catch((error: unknown) => {
    throw portMistake(error, settings)
  })
  const url = urlOf(host, port)
  const terminal = process.stdin.isTTY ? new Terminal(process.stdin, say) : null
  const types = new TypeWatch(place, say)
  let isReady = false
  let whyNoReset: string | null = null
  let warnings: readonly string[] = []
  const supervisor = new Supervisor({
    place,
    url,
    door,
    // What it would say is about the files as they were.
    onChange: () => types.stop(),
    say,
    ask: terminal && ((question, dropped) => terminal.ask(question, dropped)),
    onServing: (opened, reason, ms) => {
      say(isReady ? `${reason}: the API was reloaded in ${Math.round(ms)} ms` : readyText(opened, url))
      for (const note of opened.notes) say(`${note}.`)
      // A warning that stays is not repeated at each reload.
      for (const warning of opened.warnings) if (!warnings.includes(warning)) say(`Warning: ${warning}`)
      warnings = opened.warnings
      const key = keyText(opened, place, url, !isReady)
      if (key !== '') say(key)
      if (terminal && !isReady) say(terminal.help)
      isReady = true
      whyNoReset = opened.whyNoReset
      types.check()
    },
  })
  process.once('exit', () => supervisor.kill())
  const quit = Promise.withResolvers<void>()
  terminal?.obey(
    commandsOf(
      supervisor,
      terminal,
      url,
      () => whyNoReset,
      () => quit.resolve(),
    ),
  )
  await Promise.race([quit.promise, signalled('SIGHUP'), supervisor.run()])
  door.close()
  types.stop()
  await supervisor.stop()
  process.stdin.destroy()
  return 0
}

function commandsOf(
  supervisor: Supervisor,
  terminal: Terminal,
  url: string,
  whyNoReset: () => string | null,
  quit: () => void,
): readonly Letter[] {
  const failed = (): void => say(`No browser could be started. Open ${url}/docs`)
  const reset = async (): Promise<void> => {
    const refusal = whyNoReset()
    if (refusal !== null) say(refusal)
    else if (
      await terminal.confirm('Delete all rows of the store, and insert those of the seed again? Keys stay.')
    )
      supervisor.reset()
    else say('Nothing was deleted.')
  }
  return [
    { letter: 'o', does: 'opens the docs', run: () => openPage(`${url}/docs`, failed) },
    { letter: 'r', does: 'resets the data', run: () => void reset() },
    { letter: 's', does: 'shows the last statement with its plan', run: () => supervisor.explain() },
    { letter: 'q', does: 'quits', run: quit },
  ]
}

const readyText = ({ title, versions, store }: Opened, url: string): string =>
  `${title} is ready: ${url} (${versions.join(', ')}; ${store})`

/** The key is shown when it is made, and never again. */
function keyText({ key }: Opened, place: string, url: string, isFirst: boolean): string {
  const { account, secret, calls } = key
  const ofAccount = account === null ? '' : ` --account ${account}`
  const another = `nounkit keys create${place === '.' ? '' : ` ${place}`}${ofAccount} --name NAME`
  if (secret === null)
    return isFirst
      ? `The key "dev"${account === null ? '' : ` of ${account}`} was shown when it was made. For another key: ${another}`
      : ''
  return [
    `\nThe key "dev", for development, shown only this once (for another key: ${another}):`,
    `  ${account === null ? '' : `${account}  `}${secret}`,
    `\nTry it, or open ${url}/docs\n`,
    ...calls.map((line) => `  ${line}`),
    '',
  ].join('\n')
}

const say = (text: string): void => console.log(text)
