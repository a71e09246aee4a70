import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runHere } from '../cli/in-process.ts'
import { type Child, program } from '../support/child.ts'
import { launchChromium } from '../support/chromium.ts'
import { temporaryFolder } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { packed } from '../support/packed.ts'

// The project that `nounkit init --app` writes, served and used as it is.

const root = resolve(import.meta.dirname, '../..')
let browser: Browser
let url: string
let project: string
let port: number
let server: Child

/** As after `npm install`: everything that the project depends on, and nothing else. */
function installed(folder: string): void {
  const auth = ['@better-auth/core', '@better-auth/kysely-adapter', 'better-auth']
  for (const name of [...auth, '@hono/node-server', 'hono', 'zod'])
    link(folder, name, join(root, 'node_modules', name))
  link(folder, 'nounkit', root)
}

function link(folder: string, name: string, target: string): void {
  const place = join(folder, 'node_modules', name)
  mkdirSync(resolve(place, '..'), { recursive: true })
  symlinkSync(target, place)
}

async function serve(): Promise<Child> {
  const started = program(process.execPath, ['server.ts'], { cwd: project, env: { PORT: String(port) } })
  await started.line(/is ready/)
  return started
}

beforeAll(async () => {
  // Builds what the package has: the page loads the client from there.
  await packed()
  project = join(temporaryFolder(), 'rooms')
  expect(await runHere(['init', project, '--app'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('node_modules/nounkit/examples/booking/README.md'),
  })
  installed(project)
  port = await freePort()
  url = `http://localhost:${port}`
  server = await serve()
  browser = await launchChromium()
})
afterAll(() => browser.close())

async function signUp(name: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  await page.goto(url)
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email').fill(`${name.toLowerCase()}@example.com`)
  await page.getByLabel('Password').fill('correct horse')
  await page.getByRole('button', { name: 'Log in or sign up' }).click()
  await page.getByRole('button', { name: 'Book Library' }).first().waitFor()
  return page
}

test('people sign up, book, and see at once what others do; nobody cancels the booking of another', async () => {
  const [ada, bob] = [await signUp('Ada'), await signUp('Bob')]
  expect(await ada.getByLabel('Email').isVisible()).toBe(false)
  const free = await ada.getByRole('button', { name: 'Book Library' }).count()
  // The next hour begins within one: the job that reminds is due at once.
  await ada.getByRole('button', { name: 'Book Library' }).first().click()
  await bob.getByText('Meeting (Ada)').waitFor()
  await ada.getByText(/Meeting begins soon/).waitFor()
  expect(await bob.getByRole('button', { name: 'Book Library' }).count()).toBe(free - 1)
  expect(await bob.getByRole('button', { name: 'Cancel' }).count()).toBe(0)
  expect(await bob.getByRole('status').textContent()).toBe('')
  await ada.getByRole('button', { name: 'Cancel Meeting' }).click()
  await bob.getByText('Meeting (Ada)').waitFor({ state: 'detached' })
  await expect.poll(() => bob.getByRole('button', { name: 'Book Library' }).count()).toBe(free)
})

test('who has logged in still is when the app was started again', async () => {
  const eve = await signUp('Eve')
  expect(await server.kill()).toEqual({ code: 0, signal: null })
  server = await serve()
  await eve.reload()
  await eve.getByRole('button', { name: 'Book Library' }).first().click()
  await eve.getByText('Meeting (Eve)').waitFor()
})

test('its own test passes', async () => {
  const { ended, output } = program(process.execPath, ['--test'], { cwd: project })
  expect(await ended, output).toEqual({ code: 0, signal: null })
  expect(existsSync(join(project, 'booking.db'))).toBe(true)
})
