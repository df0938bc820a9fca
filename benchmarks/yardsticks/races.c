/* Races: two plays for a table, sent so far apart on two connections, and which of them everybody saw first.

   The input, in numbers and words with spaces between them:

       game|relay SEATS TABLES
       PLAYS, then for each seat as often: SOURCE COUNT DESTINATION      what a seat plays, over and over
       for each connection, table by table: SOCKET IS_JSON COUNTER EVENT

   COUNTER is that of the last command, EVENT the number of the last event. Then come commands, each of which is
   answered when it is done:

       GAP REST RACES SECONDS

   So many races, or as many as there is time for: plays GAP microseconds apart, after a rest of up to REST. Those
   that came out otherwise, because this process had to wait, are not counted. Each line of the answer is

       TABLE FIRST SECOND FIRST-IS-LONG SECOND-IS-LONG WON RACES

   for two seats and the sizes of their frames: how often the first was first. The last is "end" and the share of a
   processor that this took. */

#include "frames.h"
#include <poll.h>
#include <sys/prctl.h>

enum { MOST_CONNS = 256, MOST_PLAYS = 64, KEPT = 1 << 16, MOST_SEATS = 8 };
#define LATE 50e-6
#define SPIN 150e-6
#define PATIENCE 30

struct conn { int fd, is_json, place, had; uint32_t counter; size_t size; unsigned char kept[KEPT]; };

static int is_game, seats, tables, plays;
static int script[MOST_SEATS][MOST_PLAYS][3];
static struct conn conns[MOST_CONNS];
static uint32_t newest[MOST_CONNS];		    /* of each table, the number of the last event */
static int order[2];				    /* whose plays a witness has seen */
static long outcome[MOST_CONNS][MOST_SEATS][MOST_SEATS][2][2][2];
static uint64_t chance_state = 88172645463325252u;

static unsigned chance(unsigned below)
{
	chance_state ^= chance_state << 13, chance_state ^= chance_state >> 7, chance_state ^= chance_state << 17;
	return (chance_state >> 32) % below;
}

static double cpu(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void wait_until(double moment)
{
	double rest = moment - now() - SPIN;
	if (rest > 0) {
		struct timespec t = {(time_t)rest, (rest - (time_t)rest) * 1e9};
		nanosleep(&t, NULL);
	}
	while (now() < moment)
		;
}

static unsigned char *put_long(unsigned char *p, uint32_t n)
{
	*p++ = 0xcf;
	for (int i = 7; i >= 0; i--)
		*p++ = i < 4 ? n >> 8 * i : 0;
	return p;
}

/* Return the size of the frame of a seat's next play; a long one says the same in more bytes. */
static size_t next_play(struct conn *c, int table, int seat, int is_long, unsigned char *frame)
{
	unsigned char data[512], *end = data;
	if (!is_game) {
		memset(data, 0, sizeof data);
		data[0] = seat;
		return put_frame(frame, BINARY, data, is_long ? 47 : 8);
	}
	int *play = script[seat][c->place++ % plays];
	uint32_t fields[] = {++c->counter, play[0], play[1], play[2], newest[table]};
	if (c->is_json) {
		end += sprintf((char *)data, "[%d,%u,%u,%u,%u,%u%*s]", PLAY, fields[0], fields[1], fields[2], fields[3],
			       fields[4], is_long ? 200 : 0, "");
		return put_frame(frame, TEXT, data, end - data);
	}
	*end++ = 0x96, *end++ = PLAY;
	for (int i = 0; i < 5; i++)
		end = is_long ? put_long(end, fields[i]) : put_number(end, fields[i]);
	return put_frame(frame, BINARY, data, end - data);
}

static void take(struct conn *c, int table, int is_witness, unsigned char *data, size_t size)
{
	int tag = PLAYED, seat = data[0];
	if (is_game && c->is_json) {
		char text[32] = {0};
		memcpy(text, data, size < 31 ? size : 31);
		tag = atoi(text + 1);
	} else if (is_game) {
		const unsigned char *q = data[0] == 0xdc ? data + 3 : data + 1;
		tag = *q++;
		if (tag >= PLAYED) {
			uint32_t seq = get_number(q);
			if (seq > newest[table])
				newest[table] = seq;
			q += *q == 0xcc ? 2 : *q == 0xcd ? 3 : *q == 0xce ? 5 : 1;
			seat = *q;
		}
	}
	if (tag == REFUSED) {
		fprintf(stderr, "load: refused: %.*s\n", (int)(size > 120 ? 120 : size), data);
		exit(1);
	}
	if (tag == PLAYED) {
		if (is_witness && c->had < 2)
			order[c->had] = seat;
		c->had++;
	}
}

static void hear(struct conn *c, int table, int is_witness)
{
	ssize_t got = recv(c->fd, c->kept + c->size, KEPT - c->size, 0);
	if (got <= 0)
		die(got ? "a server says nothing any more" : "a server has closed a connection");
	unsigned char *p = c->kept, *end = c->kept + c->size + got;
	size_t head, whole;
	while ((head = frame_head(p, end, &whole))) {
		int opcode = p[0] & 15;
		if (opcode == PING)
			send_frame(c->fd, PONG, p + head, whole - head);
		else if (opcode == CLOSE)
			die("a server says goodbye");
		else if (whole > head)
			take(c, table, is_witness, p + head, whole - head);
		p += whole;
	}
	c->size = end - p;
	memmove(c->kept, p, c->size);
}

static void race(double gap)
{
	unsigned char early[1024], late[1024];
	int table = chance(tables), first = chance(seats), second = (first + 1 + chance(seats - 1)) % seats;
	int is_long = chance(2), is_other_long = chance(2), witness = 0;
	struct conn *party = &conns[table * seats], *one = &party[first], *other = &party[second];
	while (witness == first || witness == second || party[witness].is_json)
		witness++;
	size_t early_size = next_play(one, table, first, is_long, early);
	size_t late_size = next_play(other, table, second, is_other_long, late);
	for (int i = 0; i < seats; i++)
		party[i].had = 0;
	double begin = now();
	if (send(one->fd, early, early_size, MSG_NOSIGNAL) != (ssize_t)early_size)
		die("a server takes nothing more");
	if (gap)
		wait_until(begin + gap);
	double took = now() - begin;
	if (send(other->fd, late, late_size, MSG_NOSIGNAL) != (ssize_t)late_size)
		die("a server takes nothing more");
	for (int i = 0; i < seats; i++)
		while (party[i].had < 2)
			hear(&party[i], table, i == witness);
	if (took <= gap + LATE) {
		long *of = outcome[table][first][second][is_long][is_other_long];
		of[0] += order[0] == first;
		of[1]++;
	}
}

static void report(void)
{
	for (int table = 0; table < tables; table++)
		for (int i = 0; i < seats * seats * 4; i++) {
			int first = i / 4 / seats, second = i / 4 % seats, is_long = i / 2 % 2, is_other_long = i % 2;
			long *of = outcome[table][first][second][is_long][is_other_long];
			if (of[1])
				printf("%d %d %d %d %d %ld %ld\n", table, first, second, is_long, is_other_long, of[0], of[1]);
		}
}

static void read_input(void)
{
	char name[16];
	if (scanf("%15s %d %d %d", name, &seats, &tables, &plays) != 4)
		die("the input is not understood");
	is_game = strcmp(name, "game") == 0;
	if (seats < 3 || seats > MOST_SEATS || plays > MOST_PLAYS || tables < 1 || tables * seats > MOST_CONNS)
		die("that is more than it can do");
	for (int i = 0; i < seats * plays * 3; i++)
		script[i / 3 / plays][i / 3 % plays][i % 3] = number();
	for (int i = 0; i < tables * seats; i++) {
		int one = 1;
		struct timeval patience = {PATIENCE, 0};
		conns[i].fd = number();
		conns[i].is_json = number();
		conns[i].counter = number();
		newest[i / seats] = number();
		fcntl(conns[i].fd, F_SETFL, 0);
		setsockopt(conns[i].fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		setsockopt(conns[i].fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	}
}

/* Wait for a command, and take meanwhile whatever else a server says. */
static int read_command(double *gap, double *rest, long *races, double *limit)
{
	static char line[256];
	static size_t size;
	for (;;) {
		char *end = memchr(line, '\n', size);
		if (end) {
			*end = 0;
			int fields = sscanf(line, "%lf %lf %ld %lf", gap, rest, races, limit);
			size -= end + 1 - line;
			memmove(line, end + 1, size);
			if (fields == 4)
				return 1;
			continue;
		}
		struct pollfd ready[MOST_CONNS + 1] = {{0, POLLIN, 0}};
		for (int i = 0; i < tables * seats; i++)
			ready[i + 1] = (struct pollfd){conns[i].fd, POLLIN, 0};
		poll(ready, tables * seats + 1, -1);
		for (int i = 0; i < tables * seats; i++)
			if (ready[i + 1].revents)
				hear(&conns[i], i / seats, 0);
		if (ready[0].revents) {
			ssize_t got = read(0, line + size, sizeof line - size);
			if (got <= 0)
				return 0;
			size += got;
		}
	}
}

int main(void)
{
	double gap, rest, limit;
	long races;
	setvbuf(stdin, NULL, _IONBF, 0); /* what comes after the input is read by another way */
	prctl(PR_SET_TIMERSLACK, 1);
	read_input();
	while (read_command(&gap, &rest, &races, &limit)) {
		double begin = now(), used = cpu();
		memset(outcome, 0, sizeof outcome);
		for (long i = 0; i < races && now() < begin + limit; i++) {
			wait_until(now() + chance(1000) / 1000.0 * rest / 1e6);
			race(gap / 1e6);
		}
		report();
		printf("end %f\n", (cpu() - used) / (now() - begin));
		fflush(stdout);
	}
	return 0;
}
