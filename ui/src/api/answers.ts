/** What the plugin's operations answer: made from tasks/answers.py by ui/generate_answers.py. */

export type Value = string | string[];
export type Target = "plex" | "emby" | "jellyfin";
export type SceneState = "synced" | "waiting" | "ambiguous" | "refused" | "skipped" | "failed" | "undone" | "ignored";

/** Jobs by where they stand: to be done now, at a later time, in the worker's hands, given up. */
export interface QueueCounts {
  due: number;
  later: number;
  claimed: number;
  dead: number;
}

/** Scenes by their state in the ledger. */
export interface SceneCounts {
  synced: number;
  waiting: number;
  ambiguous: number;
  refused: number;
  skipped: number;
  failed: number;
  undone: number;
  ignored: number;
}

/** The worker, as its lock and its state file tell. `obstacle` is what keeps it from working. */
export interface WorkerStatus {
  alive: boolean;
  version: string | null;
  pid: number | null;
  started_at: string | null;
  obstacle: string | null;
  is_installing: boolean;
  is_outdated: boolean;
}

/** Whether a server is written to: `closed` (yes), `open` (left alone), `half_open` (being tried). */
export interface CircuitStatus {
  state: "closed" | "open" | "half_open";
  strikes: number;
}

/** A server that has just come back: the jobs a second it gets, and until when that is so. */
export interface RecoveryStatus {
  rate: number;
  until: string;
}

/** One hour: jobs that were done and that were given up. */
export interface HistoryBucket {
  at: string;
  done: number;
  failed: number;
}

/** How many of Stash's files the server has where the path map leads, measured at a moment. */
export interface Coverage {
  found: number;
  total: number;
  rules: number;
  at: string;
}

/** The newest run of which something can be undone. */
export interface LastRun {
  run_id: number;
  kind: string;
  began_at: string;
}

/** One target. `outage`: why nothing goes there; `pictures`: why pictures alone do not. */
export interface TargetStatus {
  target: Target;
  name: string;
  is_on: boolean;
  url: string | null;
  sentence: string;
  outage: string | null;
  pictures: string | null;
  circuit: CircuitStatus;
  recovery: RecoveryStatus | null;
  queue: QueueCounts;
  scenes: SceneCounts;
  speed_per_minute: number | null;
  seconds_left: number | null;
  history: HistoryBucket[];
  coverage: Coverage | null;
  last_run: LastRun | null;
}

/** Something that a person must do, and the view of the page on which it is done. */
export interface Need {
  target: Target | null;
  kind: "settings" | "access" | "ambiguous" | "failed" | "refused" | "waiting" | "pictures" | "worker";
  count: number;
  sentence: string;
  view: "settings" | "problems" | "overview";
  state: SceneState | null;
}

/** The check of all scenes. */
export interface SweepStatus {
  is_running: boolean;
  progress: number | null;
  last_at: string | null;
  next_at: string | null;
}

/** Where Stash is, and when it was heard of last. */
export interface StashSeen {
  url: string;
  seen_at: string;
}

/** How everything stands, each file read once. `headline` is short, for a page; `sentence` says all there is. */
export interface Status {
  headline: string;
  sentence: string;
  is_set_up: boolean;
  is_enabled: boolean;
  intake_is_on: boolean;
  worker: WorkerStatus;
  queue: QueueCounts;
  targets: TargetStatus[];
  needs_you: Need[];
  sweep: SweepStatus;
  stash: StashSeen | null;
}

/** A scene on one target, as it was recorded last. */
export interface SceneRow {
  scene_id: number;
  target: Target;
  title: string | null;
  state: SceneState;
  sentence: string;
  next_step: string | null;
  item_id: string | null;
  item_path: string | null;
  recorded_at: string | null;
  synced_at: string | null;
  is_queued: boolean;
  pinned_to: string | null;
}

/** A page of scenes. `next` is the `after` of the page behind it; `total` counts all pages where that is cheap. */
export interface Scenes {
  scenes: SceneRow[];
  next: string | null;
  total: number | null;
}

/** One field: what the item shows, what it will show, and why. `stash`: what Stash has and a person keeps out. */
export interface Change {
  field: string;
  old: Value;
  new: Value;
  why: string;
  stash: Value | null;
}

/** What a sync would make of a scene: the verdict, and field by field what it would write and leave. */
export interface Plan {
  verdict: string;
  sentence: string;
  item_id: string | null;
  changes: Change[];
  kept: Change[];
  also: PlanOfItem[];
}

/** The same for a further item that holds a file of the scene. */
export interface PlanOfItem {
  item_id: string;
  changes: Change[];
  kept: Change[];
}

/** A file of a scene, where Stash has it. */
export interface SceneFile {
  path: string;
  size: number | null;
  duration: number | null;
}

/** An item that a scene could be. */
export interface Candidate {
  item_id: string;
  path: string | null;
  size: number | null;
  title: string | null;
  is_taken: boolean;
  why: string;
}

/** Which item was found, how surely, and which others could have been meant. `source`: `server` or `index`. */
export interface MatchFound {
  item_id: string | null;
  confidence: string;
  score: number;
  rule: string;
  note: string;
  source: string;
  candidates: Candidate[];
  also: string[];
  other_parts: string[];
}

/** When a scene was synced last, and to which items, the main one first. */
export interface LastSync {
  at: string;
  item_id: string | null;
  items: string[];
  item_path: string | null;
}

/** Where one picture of a scene stands. */
export interface Picture {
  place: string;
  state: string;
  sentence: string;
  at: string;
}

/** A job that waits or is in the worker's hands. */
export interface Job {
  kind: string;
  state: string;
  reason: string;
  queued_at: string;
  due_at: string;
  attempts: number;
  last_error: string | null;
  verify: boolean;
  sentence: string;
}

/** A job that was given up. */
export interface DeadLetter {
  id: number;
  key: string;
  scene_id: number | null;
  kind: string;
  sentence: string;
  detail: string;
  attempts: number;
  first_at: string;
  last_at: string;
}

/** The story of a scene on one target. `not_asked`: who could not be asked, and why. `next_step` is for people, on the page; `command` is the same for the command line, where there is one. */
export interface TargetExplanation {
  target: Target;
  name: string;
  state: string;
  sentence: string;
  next_step: string;
  command: string | null;
  item_id: string | null;
  item_path: string | null;
  item_url: string | null;
  match: MatchFound | null;
  plan: Plan | null;
  pinned_to: string | null;
  is_ignored: boolean;
  last_sync: LastSync | null;
  pictures: Picture[];
  queue: Job[];
  dead_letters: DeadLetter[];
  not_asked: string[];
}

/** The whole story of one scene. `obstacle`: what keeps all jobs waiting. */
export interface Explanation {
  scene_id: number;
  title: string | null;
  organized: boolean | null;
  files: SceneFile[];
  targets: TargetExplanation[];
  obstacle: string | null;
}

/** What a sync of one scene would do on one target. */
export interface TargetPreview {
  target: Target;
  verdict: string;
  sentence: string;
  item_id: string | null;
  changes: Change[];
  kept: Change[];
  also: PlanOfItem[];
}

/** What a sync of one scene would do. */
export interface ScenePreview {
  scene_id: number;
  title: string | null;
  targets: TargetPreview[];
}

/** Scenes by what a sync would make of them. */
export interface PreviewCounts {
  would_change: number;
  right: number;
  unmatched: number;
  ambiguous: number;
  refused: number;
  skipped: number;
}

/** One scene of a preview of all. */
export interface PreviewRow {
  scene_id: number;
  title: string | null;
  target: Target;
  verdict: string;
  sentence: string;
  changes: Change[];
  kept: Change[];
}

/** What the last preview of all left; scenes that are right are counted and not listed. `last_run` is the task's last run, which may be a later one than that: it is running, or it failed. */
export interface PreviewPage {
  ran_at: string | null;
  is_running: boolean;
  last_run: TaskRow | null;
  counts: PreviewCounts;
  scenes: PreviewRow[];
  next: string | null;
}

/** The preview of all as a task: its sentence, counts of scenes and of fields, and the file with all lines. */
export interface PreviewDone {
  sentence: string;
  counts: PreviewCounts;
  fields: Record<string, number>;
  kept: number;
  kept_fields: Record<string, number>;
  file: string;
}

/** Scenes were queued: how many, if they were counted, and how many jobs wait now. */
export interface Queued {
  sentence: string;
  queued: number | null;
  waiting: number;
}

/** Which item a scene is, by hand; or why it could not be pinned. */
export interface Mapped {
  ok: boolean;
  sentence: string;
  scene_id: number;
  item_id: string | null;
  title: string | null;
  item_path: string | null;
}

/** A sentence is all there is to say. */
export interface Said {
  sentence: string;
}

/** It was done, or not, and why. */
export interface Done {
  ok: boolean;
  sentence: string;
}

/** An item of the local index. */
export interface FoundItem {
  item_id: string;
  title: string;
  path: string;
  size: number | null;
  library: string;
}

export interface FoundItems {
  items: FoundItem[];
}

/** A page of jobs that were given up. */
export interface DeadLetters {
  dead_letters: DeadLetter[];
  next: string | null;
}

export interface Revived {
  sentence: string;
  revived: number;
}

export interface Discarded {
  sentence: string;
  discarded: number;
}

export interface Cleared {
  sentence: string;
  cleared: number;
}

/** The queue was worked on while a person waited: jobs left, and what kept them from being done. */
export interface Processed {
  sentence: string;
  done: number;
  left: number;
  given_up: number;
  later: number;
  obstacle: string | null;
}

/** A run that wrote something: values written, those of them undone since, scenes concerned. */
export interface RunRow {
  target: Target;
  run_id: number;
  kind: string;
  began_at: string;
  ended_at: string | null;
  written: number;
  undone: number;
  scenes: number;
}

export interface Runs {
  runs: RunRow[];
  next: string | null;
}

/** One value written, and the one it replaced. */
export interface EntryRow {
  id: number;
  target: Target;
  run_id: number;
  scene_id: number;
  item_id: string;
  field: string;
  old: Value;
  new: Value;
  at: string;
  undone_at: string | null;
  old_locked: boolean;
}

export interface Entries {
  entries: EntryRow[];
  next: string | null;
}

/** One value that an undo would try to put back. */
export interface UndoPlanItem {
  target: Target;
  scene_id: number;
  item_id: string;
  field: string;
  from: Value;
  to: Value;
}

/** What an undo would try, without asking a server. `later_edits`: values that a later run has written again. */
export interface UndoPlan {
  sentence: string;
  values: number;
  scenes: number;
  items: UndoPlanItem[];
  later_edits: number;
}

/** What an undo did: scenes dealt with; values put back, kept, overtaken, impossible; items gone or that failed. */
export interface Undone {
  sentence: string;
  scenes: number;
  put_back: number;
  kept: number;
  overtaken: number;
  impossible: number;
  gone: number;
  failed: number;
}

/** What the last run of a task left. Without `ended_at` it is running, or was killed: then `ok` is false. */
export interface TaskRow {
  mode: string;
  began_at: string;
  ended_at: string | null;
  sentence: string | null;
  ok: boolean;
  progress: number | null;
}

export interface LastTasks {
  tasks: TaskRow[];
}

/** One part that must work: OK, or what to do. */
export interface Finding {
  target: Target | null;
  part: string;
  ok: boolean;
  sentence: string;
}

/** Every part that was looked at. */
export interface Health {
  ok: boolean;
  sentence: string;
  findings: Finding[];
}

/** A library of a server that holds videos; `is_chosen`: the settings let it be synced. */
export interface LibraryRow {
  target: Target;
  key: string;
  title: string;
  type: string;
  locations: string[];
  is_chosen: boolean;
}

export interface Libraries {
  ok: boolean;
  sentence: string;
  libraries: LibraryRow[];
}

/** Whatever Stash has below `from`, the server has below `to`; `found` of Stash's files are found by it. */
export interface MapRule {
  from: string;
  to: string;
  found: number;
}

/** A file of Stash's, and where the path map leads. */
export interface NotFound {
  path: string;
  item_path: string;
}

/** The path map in force, how much it explains, and a better one if one is known. */
export interface PathMapAnswer {
  source: "setting" | "derived" | "none";
  rules: MapRule[];
  found: number;
  total: number;
  not_found: NotFound[];
  proposal: string | null;
  sentence: string;
}

export interface Bounds {
  min: number;
  max: number;
}

/** One setting. `value` is never a secret's; `is_set`: a person has set it somewhere. */
export interface SettingRow {
  key: string;
  title: string;
  description: string;
  type: "boolean" | "text" | "number" | "choice" | "secret" | "path_map";
  default: string | number | boolean | null;
  allowed: Bounds | string[] | null;
  value: string | number | boolean | null;
  is_set: boolean;
  source: "stash" | "file" | "environment" | "default";
  problem: string | null;
  needs_restart: boolean;
}

export interface SettingGroup {
  id: string;
  title: string;
  settings: SettingRow[];
}

/** What is wrong with a setting, or with all of them. */
export interface SettingProblem {
  key: string | null;
  sentence: string;
}

export interface SettingsSchema {
  groups: SettingGroup[];
  problems: SettingProblem[];
  warnings: SettingProblem[];
}

export interface SettingsSaved {
  ok: boolean;
  problems: SettingProblem[];
  saved: string[];
  sentence: string;
}

/** How many files of servers are not known any more. */
export interface Forgotten {
  sentence: string;
  forgotten: number;
}

/** One file of intake: where it stands, and why. */
export interface IntakeRow {
  id: number;
  name: string;
  status: string;
  step: string;
  code: string | null;
  sentence: string;
  at: string;
}

/** Files from a watched folder: how many stand where, those that need a person first. */
export interface Intake {
  is_on: boolean;
  sentence: string;
  counts: Record<string, number>;
  rows: IntakeRow[];
}
