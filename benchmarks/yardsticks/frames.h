/* What both programs in C have in common: frames of WebSocket, numbers of msgpack, the time, and how it all ends. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PLAY = 6, STUCK = 7, START = 9, REFUSED = 68, PLAYED = 80, SIGNALLED = 89, MATCH_OVER = 94 };
enum { TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void die(const char *what)
{
	fprintf(stderr, "load: %s\n", what);
	exit(1);
}

static int number(void)
{
	int n;
	if (scanf("%d", &n) != 1)
		die("the input ends too soon");
	return n;
}

static unsigned char *put_number(unsigned char *p, int32_t n)
{
	if (n < 0) {
		*p++ = 256 + n;
	} else if (n < 128) {
		*p++ = n;
	} else if (n < 256) {
		*p++ = 0xcc, *p++ = n;
	} else if (n < 65536) {
		*p++ = 0xcd, *p++ = n >> 8, *p++ = n;
	} else {
		*p++ = 0xce, *p++ = n >> 24, *p++ = n >> 16, *p++ = n >> 8, *p++ = n;
	}
	return p;
}

static uint32_t get_number(const unsigned char *p)
{
	switch (p[0]) {
	case 0xcc: return p[1];
	case 0xcd: return p[1] << 8 | p[2];
	case 0xce: return (uint32_t)p[1] << 24 | p[2] << 16 | p[3] << 8 | p[4];
	default: return p[0];
	}
}

/* A key of zeros masks nothing, and costs a server as much as any. */
static size_t put_frame(unsigned char *frame, int opcode, const unsigned char *data, size_t size)
{
	size_t head = 6;
	memset(frame, 0, 8);
	frame[0] = 0x80 | opcode, frame[1] = 0x80 | size;
	if (size > 125) {
		frame[1] = 0x80 | 126, frame[2] = size >> 8, frame[3] = size;
		head = 8;
	}
	memcpy(frame + head, data, size);
	return head + size;
}

static void send_frame(int fd, int opcode, const unsigned char *data, size_t size)
{
	unsigned char frame[4096 + 8];
	size_t whole = put_frame(frame, opcode, data, size);
	if (send(fd, frame, whole, MSG_NOSIGNAL) != (ssize_t)whole)
		die("a server takes nothing more");
}

/* Return how long the header of the frame at p is, and where its data end; 0 if not all of it is there. */
static size_t frame_head(const unsigned char *p, const unsigned char *end, size_t *whole)
{
	size_t size, head = 2;
	if (end - p < 2)
		return 0;
	size = p[1];
	if (size == 126) {
		if (end - p < 4)
			return 0;
		size = p[2] << 8 | p[3], head = 4;
	} else if (size == 127) {
		die("no frame is as long as that");
	}
	*whole = head + size;
	return (size_t)(end - p) < *whole ? 0 : head;
}
