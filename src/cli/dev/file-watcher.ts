import { type FSWatcher, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileStamp, type ImportedFile } from '../mistake-places/imported-files.ts'

/** Editors write a file in several steps: a change counts once the files stay the same for this long. */
const settleMs = 15
/** Network drives and containers report no events, so files are also looked at this often. */
const pollMs = 500

type OnChange = (paths: readonly string[], noticedAt: number) => void

/**
 * Notices changes of files by comparing their stamps. Events of their folders only say when to compare: editors that save by a
 * rename, and files that are deleted or do not exist yet, need no rules of their own.
 */
export class FileWatcher {
  #stamps = new Map<string, string | null>()
  readonly #folders = new Map<string, FSWatcher>()
  readonly #poll: NodeJS.Timeout
  #pending: NodeJS.Timeout | null = null
  readonly #onChange: OnChange
  /** When the change that is not reported yet was noticed. */
  #noticedAt: number | null = null
  #lastSeen = ''
  #reported = ''

  constructor(onChange: OnChange) {
    this.#onChange = onChange
    this.#poll = setInterval(() => this.#look(), pollMs)
  }

  /** Follows these files besides those that it follows already. A change is a difference from their stamps. */
  follow(files: readonly ImportedFile[]): void {
    for (const { path, stamp } of files) this.#stamps.set(path, stamp)
    this.#reported = ''
    this.#openFolders()
    this.#lookSoon()
  }

  /** Follows only these files. */
  followOnly(files: readonly ImportedFile[]): void {
    this.#stamps = new Map()
    this.follow(files)
  }

  /** Changes are counted from now on. */
  rebase(): void {
    for (const path of this.#stamps.keys()) this.#stamps.set(path, fileStamp(path))
    this.#reported = ''
  }

  close(): void {
    clearInterval(this.#poll)
    if (this.#pending) clearTimeout(this.#pending)
    for (const folder of this.#folders.values()) folder.close()
  }

  /** Other files of the folder, such as those of a store, may change with every request, so that they cause no look of their own. */
  #onEvent(folder: string, name: string | null): void {
    if (this.#pending === null && name !== null && this.#stamps.has(join(folder, name))) this.#look()
    else this.#lookSoon()
  }

  #lookSoon(): void {
    this.#pending ??= setTimeout(() => {
      this.#pending = null
      this.#look()
    }, settleMs)
  }

  #look(): void {
    const changed = [...this.#stamps].filter(([path, stamp]) => fileStamp(path) !== stamp)
    const seen = changed.map(([path]) => `${path} ${fileStamp(path)}`).join('\n')
    const isUnchanged = seen === this.#lastSeen
    this.#lastSeen = seen
    if (changed.length === 0 || seen === this.#reported) {
      this.#noticedAt = null
      return
    }
    const noticedAt = this.#noticedAt ?? performance.now()
    this.#noticedAt = noticedAt
    if (!isUnchanged) return this.#lookSoon()
    this.#reported = seen
    this.#noticedAt = null
    this.#onChange(
      changed.map(([path]) => path),
      noticedAt,
    )
  }

  #openFolders(): void {
    const wanted = new Set([...this.#stamps.keys()].map((path) => dirname(path)))
    for (const [path, folder] of this.#folders) {
      if (wanted.has(path)) continue
      folder.close()
      this.#folders.delete(path)
    }
    for (const path of wanted) if (!this.#folders.has(path)) this.#openFolder(path)
  }

  /** A folder that cannot be watched, because it is gone or the system has no watch left, is still polled. */
  #openFolder(path: string): void {
    const drop = (): void => {
      this.#folders.get(path)?.close()
      this.#folders.delete(path)
    }
    try {
      const folder = watch(path, (_, name) => this.#onEvent(path, name))
      folder.on('error', drop)
      this.#folders.set(path, folder)
    } catch {
      drop()
    }
  }
}
