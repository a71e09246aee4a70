import { type Browser, chromium } from 'playwright-core'
import { systemProgram } from './system-program.ts'

/** The system's Chromium, headless, with no requests but those of the page under test. */
export async function launchChromium(): Promise<Browser> {
  const quiet = [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    // A page lives for seconds here: code that is optimized costs a tenth of a file's processor time and saves less.
    '--js-flags=--no-opt',
  ]
  // Chromium's sandbox refuses root; containers give /dev/shm too little room.
  const contained = process.getuid?.() === 0 ? ['--no-sandbox', '--disable-dev-shm-usage'] : []
  return chromium.launch({
    executablePath: systemProgram('chromium', 'chromium'),
    headless: true,
    args: [...quiet, ...contained],
    // A busy machine takes long to start it.
    timeout: 120_000,
  })
}
