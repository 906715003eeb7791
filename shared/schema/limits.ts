/**
 * Every limit of Planroom, each with its unit and its reason.
 * Operations are bound by the limits of a plan; merges are only bound by the hard ones, because two honest offline
 * copies may be over a plan's limit together.
 */

/** Characters of a step's text: a step is a line of a plan, not a document. */
export const MAX_TEXT = 4_000
/** Characters of a step's details. */
export const MAX_DETAILS = 20_000
/** Characters of a group's or a plan's title. */
export const MAX_TITLE = 400
/** Characters of an alias or of a dependency's name. */
export const MAX_NAME = 200
/** Characters of `action_and_reasoning` that the log keeps. */
export const MAX_REASONING = 4_000
/** Steps in a plan: beyond this no person and no model reads it; every call stays within a few milliseconds. */
export const MAX_STEPS = 10_000
/** Groups in a plan, empty ones too: every reply of `tasks` prints all of them. */
export const MAX_GROUPS = 1_000
/** Items in one tool call: more is a script, and would hold up everybody else's calls. */
export const MAX_ITEMS = 500
/** Dependencies of one step. */
export const MAX_DEPENDENCIES = 200
/** Characters of the beginning of an internal id that name a step: fewer would fit by chance. */
export const MIN_ID_PREFIX = 4
/** Steps listed where a name is ambiguous or fits none. */
export const MAX_CANDIDATES = 5
/**
 * Characters of the steps that one listing prints; the rest is folded. Some 20,000 tokens: hosts cut off replies of more
 * than 25,000.
 */
export const MAX_LISTING = 60_000
/** Pieces of advice in one reply of `tasks`: of more nobody reads the last. */
export const MAX_NAGS = 100
/** The highest number a step may bring along from another server. */
export const MAX_NUMBER = 1_000_000

/** Characters of any string in a merged patch: far above what operations write, and small beside an update. */
export const HARD_MAX_STRING = 100_000
/** Keys of one merged patch: all fields and more dependencies than operations write. */
export const HARD_MAX_KEYS = 1_000

/** Bytes of one incremental update. */
export const MAX_UPDATE_BYTES = 1024 * 1024
/** Bytes of a document, and so of a step 2: clients give up on a message that takes 30 s, and a state cannot be split. */
export const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024
/** Bytes up to which a plan grows: what is left is for removing, shortening and statuses, which write something too. */
export const MAX_PLAN_BYTES = MAX_DOCUMENT_BYTES - 512 * 1024
/** The share of that from which on whoever adds something is told. */
export const NEARLY_FULL = 0.9
/** Structs up to which it grows, for the same reason. */
export const MAX_PLAN_STRUCTS = 190_000
/** Structs of a document, and so of one update: 10,000 steps need a tenth of it. */
export const MAX_STRUCTS = 200_000
/** Client ids in one update that the plan does not have: every visit of a browser is one; a forged update holds many more. */
export const MAX_UPDATE_CLIENTS = 20_000
/** Clocks that one update may lie ahead of what the room has, in elements: an offline copy is below, a forgery above. */
export const MAX_CLOCK_AHEAD = 2_000_000
/**
 * Steps that applying one update may cost Yjs, at 0.1 to 0.2 µs. It goes through all concurrent siblings for each item, so
 * forged origins cost the product: 20,000 items in 220 KB held the process for a minute. Honest copies stay far below: an
 * offline copy of 10,000 changes comes to some 10,000 steps.
 */
export const MAX_UPDATE_STEPS = 1_000_000
/** Bytes of a state vector: one of every client that a document can have. */
export const MAX_STATE_VECTOR_BYTES = 2 * 1024 * 1024
/** Bytes of updates that wait in a room for a missing part, and how many: they are judged anew when it arrives. */
export const MAX_PARKED_BYTES = 4 * 1024 * 1024
export const MAX_PARKED_UPDATES = 200
/** Bytes of them in all rooms. */
export const MAX_PARKED_TOTAL_BYTES = 64 * 1024 * 1024
/** Bytes of one WebSocket message. Above the limits for updates, so that those answer with more words. */
export const MAX_SOCKET_PAYLOAD = 16 * 1024 * 1024
/** Bytes that may wait for a slow reader: more than one whole document, or nobody could ever load a large one. */
export const MAX_BUFFERED_BYTES = 16 * 1024 * 1024
/** Bytes that may wait for all readers together: beyond it those go that are the furthest behind. */
export const MAX_BUFFERED_TOTAL_BYTES = 256 * 1024 * 1024
/** Bytes that a reader may be behind when all together are beyond it: what a busy thread sends in a moment. */
export const MAX_BUFFERED_SHARE_BYTES = 1024 * 1024
/** Bytes of frames, of all connections, that wait for their threads to be opened. */
export const MAX_EARLY_TOTAL_BYTES = 128 * 1024 * 1024
/** Bytes of one state in an awareness message, and client ids that one connection may speak for. */
export const MAX_AWARENESS_BYTES = 4 * 1024
export const MAX_AWARENESS_IDS = 4
/** Bytes of one awareness message: clients may send on the states of hundreds; millions of small ones took 3 s. */
export const MAX_AWARENESS_MESSAGE_BYTES = 1024 * 1024

/** Milliseconds that an agent is shown as present after a call, and how many of them at most. */
export const PRESENT_AGENT_MS = 60_000
export const MAX_PRESENT_AGENTS = 64

/** Bytes of an HTTP body: 500 items of 4,000 characters. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024
/** Bytes of bodies that are being read at a time, of all requests. */
export const MAX_BODIES_BYTES = 256 * 1024 * 1024
/** Characters of a name or an id of a caller. */
export const MAX_ACTOR_NAME = 128
/** Characters of an Idempotency-Key. */
export const MAX_KEY = 255
/** Milliseconds that a reply is kept under its Idempotency-Key. */
export const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000

/** Messages in one MCP batch, which only clients of 2025-03-26 send: a turn of a model makes fewer calls. */
export const MAX_MCP_BATCH = 50
/** Open MCP subscriptions over all threads: each holds a socket, and the other doors need file descriptors too. */
export const MAX_MCP_SUBSCRIPTIONS = 1_000
/** Milliseconds whose changes make one MCP notice: a burst of calls is told once, and nobody waits for it. */
export const MCP_NOTICE_MS = 150

/** Versions that `rev` reaches back. */
export const MAX_HISTORY = 500
/** Bytes, by estimate, of one history: what steps were before, and what became of them. */
export const MAX_HISTORY_BYTES = 32 * 1024 * 1024
/** Bytes, by estimate, that histories, views and plans which nobody uses just now may take, of all threads. */
export const MAX_KEPT_BYTES = 256 * 1024 * 1024
/** Actors of a thread whose views are kept. */
export const MAX_VIEWS = 64
/** Actors of a thread of whom it is still known that they looked, but not what they saw: their ids alone are kept. */
export const MAX_FORGOTTEN = 1_000
/** Changed steps listed in a reply. */
export const MAX_CHANGED = 50
/** Versions between two snapshots in the log: opening replays at most these. */
export const SNAPSHOT_EVERY = 200
/** Entries in one page of the activity. */
export const MAX_PAGE = 500
/** Bytes of a reply from which on it is compressed: below that a packet is saved at most, and time lost. */
export const MIN_COMPRESSED_BYTES = 1_400
/** People and agents that a list of plans names for each of them: a row shows no more. */
export const MAX_LISTED_PEOPLE = 6

/** Open sockets, unless the configuration says otherwise: of all, of one thread, of one address and of one actor. */
export const MAX_CONNECTIONS = 10_000
export const MAX_THREAD_CONNECTIONS = 2_000
/** A school or a company may stand behind one address. */
export const MAX_ADDRESS_CONNECTIONS = 2_000
export const MAX_ACTOR_CONNECTIONS = 1_000
/** HTTP requests that are being answered at a time: of all, and of one address. Each may hold a body. */
export const MAX_REQUESTS = 4_000
export const MAX_ADDRESS_REQUESTS = 1_000
/** Requests a second, unless the configuration says otherwise: fifty agents that share a name make 1,000 calls. */
export const ADDRESS_RATE = 3_000
export const ACTOR_RATE = 1_500
/** Seconds over which they are counted, so that a burst passes. */
export const RATE_SECONDS = 10
/** Bytes of a body that count as one request more: a large call is dearer than a small one. */
export const BYTES_A_REQUEST = 64 * 1024
/** Requests that opening a socket counts as. */
export const UPGRADE_REQUESTS = 5
/** Frames of one connection: at a time, and a second in the long run. Fast typing makes some thirty a second. */
export const FRAME_BURST = 10_000
export const FRAME_RATE = 1_000
/** Milliseconds of the server's one thread that a connection may use at a time, and in each second in the long run. */
export const WORK_BURST_MS = 10_000
export const WORK_RATE_MS = 500
/** Frames of one connection that wait for their turn, and bytes of them: while there are more nothing is read from it. */
export const MAX_WAITING_FRAMES = 64
export const MAX_WAITING_BYTES = 1024 * 1024
/** Milliseconds that a connection which uses more than its share may go on without a pause. */
export const MAX_SLOWED_MS = 20_000
/** Milliseconds of it that an actor (with tokens) or an address may use over all its connections, in so many seconds. */
export const ACTOR_WORK_MS = 30_000
export const ACTOR_WORK_SECONDS = 60
/** Milliseconds that a connection is charged for whose frame was refused for good: no honest client repeats that. */
export const REFUSAL_WORK_MS = 2_000
/** MCP subscriptions of one actor or address. */
export const MAX_ACTOR_SUBSCRIPTIONS = 200

/** Characters of former texts that one entry of the log keeps: the words that it replaced, or brought in vain. */
export const MAX_FORMER_CHARACTERS = 64 * 1024
