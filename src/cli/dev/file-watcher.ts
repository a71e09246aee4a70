import { fileStamp, type ImportedFile } from '../mistake-places/imported-files.ts'

/** How often the files are looked at. Editors write a file in several steps: a change counts once two looks see the same. */
const lookMs = 30

type OnChange = (paths: readonly string[], noticedAt: number) => void

/**
 * Notices changes of files by comparing their stamps again and again. The files of a declaration are few, so that a look takes some
 * microseconds for each; editors that save by a rename, files that do not exist yet, network drives and containers need no rules of their own.
 */
export class FileWatcher {
  #stamps = new Map<string, string | null>()
  readonly #timer: NodeJS.Timeout
  readonly #onChange: OnChange
  /** When the change that is not reported yet was noticed. */
  #noticedAt: number | null = null
  #lastSeen = ''
  #reported = ''

  constructor(onChange: OnChange) {
    this.#onChange = onChange
    this.#timer = setInterval(() => this.#look(), lookMs)
  }

  /** Follows these files besides those that it follows already. A change is a difference from their stamps. */
  follow(files: readonly ImportedFile[]): void {
    for (const { path, stamp } of files) this.#stamps.set(path, stamp)
    this.#reported = ''
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
    clearInterval(this.#timer)
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
    this.#noticedAt ??= performance.now()
    if (!isUnchanged) return
    this.#reported = seen
    this.#onChange(
      changed.map(([path]) => path),
      this.#noticedAt,
    )
    this.#noticedAt = null
  }
}
