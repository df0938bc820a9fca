/* The load: plays by script on sockets that are open already, one process, one thread.

   The input says everything, in numbers and words with spaces between them:

       game|cycle|relay|colyseus SEATS TABLES WATCHERS WINDOW RATE WARM-UP SECONDS PHASES
       PAYLOAD                      what a relay is sent, in hexadecimal; "-" for all others
       STEPS, then for each: PLAYS FRAMES, then for each play: SEAT SOURCE COUNT DESTINATION
       the sockets: those of table 0 seat by seat, of table 1, ..., then of the watchers

   At the end of the script a game ends the hand, and has it dealt anew; a cycle has come back to where it began.
   For that each seat says that it is stuck: one after the other, as steps are due; all at once at RATE 0.
   The first hand of each table of a game ends somewhere else in the script: tables of people are not in step.

   A step is sent at once; the next when every seat has had all FRAMES of it (RATE 0), or when it is due,
   RATE steps a second over all tables, and not before there are fewer than WINDOW steps on their way. A line
   of output, "begin", says that the warm-up is over, and another that each further phase of SECONDS / PHASES
   begins; the last is a JSON object. Times are in seconds there, latencies in microseconds, from the moment a step was
   due until its last frame was read; "phases" has the median and the 99th percentile of each. If this process is stopped for a while,
   what was due meanwhile is not sent. */

#include "frames.h"

enum { ROOM_DATA = 13, ROOM_STATE_PATCH = 15 }; /* of Colyseus */
enum { READ_SIZE = 1 << 18, MOST_SAMPLES = 1 << 24, MOST_WINDOW = 64, MOST_PHASES = 1024 };
#define LONGEST_BREAK 0.5

struct play { int seat, source, count, destination; };
struct step { int first, plays, frames; };
/* step: the number of the step whose frames it gets; left: how many of them it has not had. */
struct conn { int fd, table, seat, left; long step; uint32_t counter, seq; size_t kept_size; unsigned char *kept; };
/* sent, done: steps; waiting, due: of each step that is on its way, the seats without all of it, and its time.
   stuck: the seats that are still to say so; signals: those that have not heard of the next hand. */
struct table {
	long sent, done;
	int waiting[MOST_WINDOW], stuck, signals, is_free;
	double due[MOST_WINDOW], next_due;
};

static enum { GAME, CYCLE, RELAY, COLYSEUS } kind;
static int is_game, seats, tables, watchers, steps, window, phases, phase;
static double rate, warm_up, seconds;
static unsigned char payload[4096];
static int payload_size;
static struct play *plays;
static struct step *script;
static struct conn *conns;
static struct table *at;
static float *samples;
static long phase_begin[MOST_PHASES + 1];
static long sample_count, sent, delivered, watched, refused;
static int counting;
static unsigned char buffer[READ_SIZE * 2];

static double cpu(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void send_row(struct conn *c, int tag, const int32_t *fields, int count)
{
	unsigned char row[64] = {0x92 + count, tag}, *end = put_number(row + 2, ++c->counter);
	for (int i = 0; i < count; i++)
		end = put_number(end, fields[i]);
	send_frame(c->fd, BINARY, row, end - row);
}

static void send_to_colyseus(struct conn *c, const int32_t *fields, int count)
{
	unsigned char row[64] = {ROOM_DATA, PLAY, 0x90 + count}, *end = row + 3;
	for (int i = 0; i < count; i++)
		end = put_number(end, fields[i]);
	send_frame(c->fd, BINARY, row, end - row);
}

static void send_step(int number, double due)
{
	struct table *t = &at[number];
	struct step *s = &script[t->sent % steps];
	int place = t->sent++ % window;
	t->waiting[place] = seats;
	t->due[place] = due;
	t->is_free = 0;
	for (int i = s->first; i < s->first + s->plays; i++) {
		struct conn *c = &conns[number * seats + plays[i].seat];
		int32_t fields[] = {plays[i].source, plays[i].count, plays[i].destination, c->seq};
		if (is_game)
			send_row(c, PLAY, fields, 4);
		else if (kind == COLYSEUS)
			send_to_colyseus(c, fields, 4);
		else
			send_frame(c->fd, BINARY, payload, payload_size);
		sent += counting;
	}
}

/* When all have said it the hand ends, and the same one is dealt again. */
static void say_stuck(int number)
{
	send_row(&conns[number * seats + --at[number].stuck], STUCK, NULL, 0);
}

/* One thing that was due at a table. */
static void send_due(int number)
{
	struct table *t = &at[number];
	double due = t->next_due;
	t->next_due += tables / rate;
	if (t->stuck) {
		say_stuck(number);
		t->is_free = t->stuck > 0;
	} else {
		send_step(number, due);
		t->is_free = t->sent - t->done < window;
	}
}

/* So the others do not end their hands when this one does. */
static void cut_first_hand(int number)
{
	struct table *t = &at[number];
	t->sent = t->done = steps;
	for (int i = 0; i < seats; i++) {
		struct conn *c = &conns[number * seats + i];
		c->step = steps;
		c->left = script[0].frames;
	}
}

static void ready(int number)
{
	struct table *t = &at[number];
	if (kind == GAME && t->sent == 1 + (long)steps * number / tables)
		cut_first_hand(number);
	if (kind == GAME && t->sent && t->sent % steps == 0)
		t->signals = t->stuck = seats;
	while (!rate && t->stuck)
		say_stuck(number);
	while (!rate && !t->signals && t->sent - t->done < window)
		send_step(number, now());
	t->is_free = t->stuck || t->sent - t->done < window;
	while (rate && t->is_free && t->next_due && t->next_due <= now())
		send_due(number);
}

static void step_done(int number)
{
	struct table *t = &at[number];
	if (counting && sample_count < MOST_SAMPLES)
		samples[sample_count++] = (now() - t->due[t->done % window]) * 1e6;
	t->done++;
	ready(number);
}

static void skip_due(int number)
{
	struct table *t = &at[number];
	double moment = now();
	while (t->next_due && t->next_due < moment)
		t->next_due += tables / rate;
}

static void dealt(int number)
{
	struct table *t = &at[number];
	skip_due(number);
	t->is_free = 1;
	if (!rate)
		send_step(number, now());
}

static void had(struct conn *c)
{
	struct table *t = &at[c->table];
	delivered += counting;
	if (c->step == t->sent)
		die("more comes than was sent for");
	if (--c->left == 0) {
		int place = c->step++ % window;
		c->left = script[c->step % steps].frames;
		if (--t->waiting[place] == 0)
			step_done(c->table);
	}
}

/* A patch begins with the number of plays, which is the first field of the state. */
static void take_from_colyseus(struct conn *c, const unsigned char *p, size_t size)
{
	if (p[0] == ROOM_DATA) {
		had(c);
	} else if (p[0] == ROOM_STATE_PATCH && size >= 6) {
		uint32_t seen = p[2] | p[3] << 8 | p[4] << 16 | (uint32_t)p[5] << 24;
		for (; c->seq < seen; c->seq++)
			had(c);
	}
}

static void take(struct conn *c, const unsigned char *p, size_t size)
{
	int tag = PLAYED;
	if (kind == COLYSEUS) {
		take_from_colyseus(c, p, size);
		return;
	}
	if (is_game) {
		const unsigned char *q = p[0] == 0xdc ? p + 3 : p + 1;
		tag = *q;
		if (tag >= PLAYED)
			c->seq = get_number(q + 1);
	}
	if (c->seat < 0) {
		watched += counting && tag == PLAYED;
		return;
	}
	if (tag == PLAYED) {
		had(c);
	} else if (tag == SIGNALLED) {
		if (--at[c->table].signals == 0)
			dealt(c->table);
	} else if (tag == MATCH_OVER && c->seat == 0) {
		send_row(c, START, NULL, 0);
	} else if (tag == REFUSED && refused++ == 0) {
		fprintf(stderr, "load: refused: %.*s\n", (int)(size > 120 ? 120 : size), p);
	}
	(void)size;
}

static void hear(struct conn *c)
{
	memcpy(buffer, c->kept, c->kept_size);
	ssize_t got = recv(c->fd, buffer + c->kept_size, READ_SIZE, 0);
	if (got < 0 && errno == EAGAIN)
		return;
	if (got <= 0)
		die("a server has closed a connection");
	unsigned char *p = buffer, *end = buffer + c->kept_size + got;
	size_t head, whole;
	while ((head = frame_head(p, end, &whole))) {
		int opcode = p[0] & 15;
		if (opcode == BINARY && whole > head)
			take(c, p + head, whole - head);
		else if (opcode == PING)
			send_frame(c->fd, PONG, p + head, whole - head);
		else if (opcode == CLOSE)
			die("a server says goodbye");
		p += whole;
	}
	c->kept_size = end - p;
	c->kept = realloc(c->kept, c->kept_size + 1);
	memcpy(c->kept, p, c->kept_size);
}

static void read_input(void)
{
	static const char *kinds[] = {"game", "cycle", "relay", "colyseus"};
	char name[16], hex[8192];
	if (scanf("%15s %d %d %d %d %lf %lf %lf %d %8191s", name, &seats, &tables, &watchers, &window, &rate, &warm_up,
		  &seconds, &phases, hex) != 10)
		die("the input is not understood");
	while (kind <= COLYSEUS && strcmp(name, kinds[kind]))
		kind++;
	is_game = kind == GAME || kind == CYCLE;
	if (kind > COLYSEUS || window < 1 || window > MOST_WINDOW || phases < 1 || phases > MOST_PHASES ||
	    (kind == GAME && window > 1))
		die("that is more than it can do");
	for (; hex[0] != '-' && hex[payload_size * 2]; payload_size++)
		sscanf(hex + payload_size * 2, "%2hhx", &payload[payload_size]);
	steps = number();
	script = calloc(steps, sizeof *script);
	int known = 0;
	for (int i = 0; i < steps; i++) {
		script[i].first = known;
		script[i].plays = number();
		script[i].frames = number();
		known += script[i].plays;
		plays = realloc(plays, known * sizeof *plays);
		for (int j = script[i].first; j < known; j++) {
			plays[j].seat = number();
			plays[j].source = number();
			plays[j].count = number();
			plays[j].destination = number();
		}
	}
	int count = tables * seats + watchers;
	conns = calloc(count, sizeof *conns);
	at = calloc(tables, sizeof *at);
	for (int i = 0; i < count; i++) {
		int is_seat = i < tables * seats, one = 1;
		conns[i].fd = number();
		conns[i].table = is_seat ? i / seats : -1;
		conns[i].seat = is_seat ? i % seats : -1;
		conns[i].counter = is_seat && is_game && i % seats == 0; /* the host has said "start" */
		conns[i].left = script[0].frames;
		conns[i].kept = malloc(1);
		fcntl(conns[i].fd, F_SETFL, O_NONBLOCK);
		setsockopt(conns[i].fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	}
}

static int compare(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

static double percentile(long begin, long end, double share)
{
	return end > begin ? samples[begin + (long)((end - begin - 1) * share)] : 0;
}

static void report(double took, double used)
{
	printf("{\"plays\": %ld, \"deliveries\": %ld, \"watched\": %ld, \"refused\": %ld, \"seconds\": %f, ", sent,
	       delivered, watched, refused, took);
	printf("\"load_cpu\": %f, \"phases\": [", used);
	for (int i = 0; i < phases; i++) {
		long begin = phase_begin[i], end = phase_begin[i + 1];
		qsort(samples + begin, end - begin, sizeof *samples, compare);
		printf("%s[%.1f, %.1f]", i ? ", " : "", percentile(begin, end, .5), percentile(begin, end, .99));
	}
	qsort(samples, sample_count, sizeof *samples, compare);
	printf("], \"samples\": %ld, \"p50\": %.1f, \"p99\": %.1f, \"p999\": %.1f, \"max\": %.1f}\n", sample_count,
	       percentile(0, sample_count, .5), percentile(0, sample_count, .99), percentile(0, sample_count, .999),
	       percentile(0, sample_count, 1));
}

static void say_begin(void)
{
	puts("begin");
	fflush(stdout);
}

int main(void)
{
	read_input();
	samples = malloc(MOST_SAMPLES * sizeof *samples);
	int poll = epoll_create1(0);
	for (int i = 0; i < tables * seats + watchers; i++) {
		struct epoll_event event = {EPOLLIN, {.ptr = &conns[i]}};
		if (epoll_ctl(poll, EPOLL_CTL_ADD, conns[i].fd, &event))
			die("a socket cannot be watched");
	}
	double start = now(), begun = 0, used = 0, last = start;
	long due = 0; /* how many steps have been due so far, over all tables in turn */
	for (int i = 0; i < tables; i++) {
		at[i].next_due = rate ? start + i / rate : 0;
		at[i].signals = is_game ? seats : 0;
		if (!is_game)
			ready(i);
	}
	for (;;) {
		double moment = now();
		if (rate && moment > last + LONGEST_BREAK) {
			for (int i = 0; i < tables; i++)
				skip_due(i);
			due = (moment - start) * rate;
		}
		last = moment;
		if (!counting && moment >= start + warm_up) {
			counting = 1, begun = moment, used = cpu();
			say_begin();
		}
		if (counting && moment >= begun + seconds)
			break;
		double phase_end = begun + seconds * (phase + 1) / phases;
		if (counting && phase + 1 < phases && moment >= phase_end) {
			phase_begin[++phase] = sample_count;
			say_begin();
			continue;
		}
		double next = counting ? phase_end : start + warm_up;
		for (; rate && start + due / rate <= moment; due++) {
			struct table *t = &at[due % tables];
			while (t->is_free && t->next_due <= moment)
				send_due(due % tables);
		}
		if (rate && start + due / rate < next)
			next = start + due / rate;
		double rest = next - now();
		rest = rest < 0 ? 0 : rest;
		struct timespec wait = {(time_t)rest, (rest - (time_t)rest) * 1e9};
		struct epoll_event events[256];
		int count = epoll_pwait2(poll, events, 256, &wait, NULL);
		for (int i = 0; i < count; i++)
			hear(events[i].data.ptr);
	}
	while (phase < phases)
		phase_begin[++phase] = sample_count;
	report(now() - begun, cpu() - used);
	return 0;
}
