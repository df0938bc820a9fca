/* Klondike with all cards known: can it be won?

   thoughtful TURN TAKE-BACK LIMIT

   TURN cards are turned at a time, and the waste is turned over as often as wanted; with TAKE-BACK 1 cards may return
   from the foundations. Each line of input is a position, in numbers with spaces between them:

       how many cards lie on the foundations of the four suits
       how many cards lie in the waste
       how many lie in waste and stock, then these, in the order in which they are turned
       for each of seven columns: how many cards lie face down, and one more if any lies face up; then these, from below

   A card is four times its rank, from 0, and its suit; the odd suits are red. All other cards lie face up upon others.
   Each line of output has "won", "lost" or "unknown" (if LIMIT positions were not enough), how many positions were
   found, and, if it is won, the plays: +CARD goes to its foundation, -CARD upon a column.

   What lies upon a card may be moved upon the other one of the same rank and color, if that is free. So it makes no
   difference upon which of the two it lies, and a position is told by its foundations, its stock and waste, and how
   many of the first cards of each column are still there: 62 bits. A card counts as free if more of its kind (its rank
   and color) lie face up than have something upon them; if it is the other one that is free, what lies upon this
   one is moved there before it is played. Spaces are all the same, and so is a king in any of them.

   Every position found is kept, and looked at once, those that seem nearest to the end first. When none is left,
   it is lost. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 7, KING = 12, MOST_TALON = 24, MOST_CHILDREN = 128, MEASURES = 512 };
enum { UP = 64 }; /* added to a card that is played to its foundation */
#define NONE UINT32_MAX

typedef uint64_t cards; /* a set of them, a bit each */

/* talon: a bit for each card that is still in waste and stock; waste: how many of these are in the waste;
   up: on each foundation; left: how many of each column's first cards are still there, the last of them face up. */
struct position { uint32_t talon; int waste, up[4], left[COLUMNS]; };
struct child { uint64_t key; int play, measure; };
struct node { uint64_t key; uint32_t parent, next; };

static const int left_bits[COLUMNS] = {1, 2, 2, 3, 3, 3, 3};

static int turn, may_take_back;
static uint32_t limit;

static int talon[MOST_TALON], talon_size, column[COLUMNS][COLUMNS];
static cards elsewhere;                  /* what lies neither in the talon nor in a column at first */
static cards gone[COLUMNS][COLUMNS + 1]; /* of each column's first cards, what is not there when so many are left */

static struct node *nodes;
static uint64_t *known; /* the keys of all nodes, each near the place of its hash */
static uint32_t count, room, known_mask, waiting[MEASURES];

static int rank(int card) { return card >> 2; }
static int suit(int card) { return card & 3; }
static int is_red(int card) { return card & 1; }
static cards bit(int card) { return (cards)1 << card; }

/* How many cards of a kind are in a set. */
static int of_kind(cards set, int rank, int is_red)
{
	unsigned two = set >> (4 * rank + is_red);
	return (two & 1) + (two >> 2 & 1);
}

static uint64_t pack(const struct position *at)
{
	uint64_t key = (uint64_t)at->talon << 5 | at->waste;
	for (int s = 0; s < 4; s++)
		key = key << 4 | at->up[s];
	for (int c = 0; c < COLUMNS; c++)
		key = key << left_bits[c] | at->left[c];
	return key;
}

static struct position unpack(uint64_t key)
{
	struct position at;
	for (int c = COLUMNS; c--; key >>= left_bits[c])
		at.left[c] = key & ((1 << left_bits[c]) - 1);
	for (int s = 4; s--; key >>= 4)
		at.up[s] = key & 15;
	at.waste = key & 31;
	at.talon = key >> 5;
	return at;
}

/* One way to write what is the same: a king in a space is no column's first card any more, and where the next pass
   shows all that the rest of this one does, nothing is in the waste. */
static struct position plain(struct position at)
{
	for (int c = 0; c < COLUMNS; c++)
		if (at.left[c] == 1 && rank(column[c][0]) == KING)
			at.left[c] = 0;
	if (at.waste % turn == 0 || at.waste == __builtin_popcount(at.talon))
		at.waste = 0;
	return at;
}

/* What lies where, as far as plays ask. */
struct table {
	cards shown;  /* face up in the columns */
	cards upon;   /* those of them that lie upon others, or are kings in a space */
	int spaces;
};

/* How many cards can be in the waste after plays of the stock alone, if there are so many in both; as bits. */
static uint32_t ends(const struct position *at, int size)
{
	uint32_t ends = at->waste ? 1u << at->waste : 0;
	for (int from = at->waste;; from = 0) {
		for (int end = from; end < size;) {
			end = end + turn < size ? end + turn : size;
			ends |= 1u << end;
		}
		if (!from)
			return ends;
	}
}

static struct table lay(const struct position *at)
{
	struct table table = {.shown = elsewhere, .spaces = COLUMNS};
	cards first = 0;
	for (uint32_t played = ~at->talon & ((1u << talon_size) - 1); played; played &= played - 1)
		table.shown |= bit(talon[__builtin_ctz(played)]);
	for (int c = 0; c < COLUMNS; c++) {
		table.shown |= gone[c][at->left[c]];
		if (at->left[c]) {
			first |= bit(column[c][at->left[c] - 1]);
			table.spaces--;
		}
	}
	for (int s = 0; s < 4; s++)
		table.shown &= ~((bit(4 * at->up[s]) - 1) & ((cards)0x1111111111111 << s));
	table.upon = table.shown;
	table.shown |= first;
	table.spaces -= __builtin_popcount(table.upon >> 4 * KING);
	return table;
}

/* How many cards of a kind have nothing upon them. */
static int free_of_kind(const struct table *table, int rank, int is_red)
{
	return of_kind(table->shown, rank, is_red) - (rank ? of_kind(table->upon, rank - 1, !is_red) : 0);
}

static int is_free(const struct table *table, int card)
{
	return table->shown & bit(card) && free_of_kind(table, rank(card), is_red(card));
}

static int fits_column(const struct table *table, int card)
{
	return rank(card) == KING ? table->spaces > 0 : free_of_kind(table, rank(card) + 1, !is_red(card)) > 0;
}

/* Whether nobody can want a card, next on its foundation, upon a column any more: whatever could lie upon it lies on the
   foundations, or can go there as soon as it is free, and so can whatever could lie upon that. */
static int is_safe(const struct position *at, int card)
{
	int other = at->up[suit(card) ^ 1], another = at->up[suit(card) ^ 3], same = at->up[suit(card) ^ 2];
	int least = other < another ? other : another;
	return least >= rank(card) - 1 && (same >= rank(card) - 2 || (!may_take_back && least >= rank(card)));
}

/* How near the end a position seems to be. What is worth most is an empty stock: this finds most plays that win. */
static int measure(const struct position *at)
{
	int up = 0, left = 0;
	for (int s = 0; s < 4; s++)
		up += at->up[s];
	for (int c = 0; c < COLUMNS; c++)
		left += at->left[c];
	return up - 2 * left - 3 * __builtin_popcount(at->talon) + MEASURES / 2;
}

static struct child after(struct position at, int play)
{
	at = plain(at);
	return (struct child){pack(&at), play, measure(&at)};
}

/* The same, with a column's first card taken away, where it was one. */
static struct position without(struct position at, int card)
{
	for (int c = 0; c < COLUMNS; c++)
		if (at.left[c] && column[c][at.left[c] - 1] == card)
			at.left[c]--;
	return at;
}

static struct position raised(struct position at, int card)
{
	at.up[suit(card)]++;
	return at;
}

/* Find all plays that may be of use, and say how many; a safe one comes alone. From the waste, when cards are turned by
   threes, none is safe: it changes which cards can be turned up. */
static int children(const struct position *at, struct child *found)
{
	struct table table = lay(at);
	int made = 0;
	for (int s = 0; s < 4; s++) {
		int card = 4 * at->up[s] + s;
		if (at->up[s] <= KING && is_free(&table, card)) {
			struct child child = after(raised(without(*at, card), card), UP + card);
			if (is_safe(at, card)) {
				found[0] = child;
				return 1;
			}
			found[made++] = child;
		}
	}
	for (int c = 0; c < COLUMNS; c++)
		if (at->left[c]) {
			int card = column[c][at->left[c] - 1];
			if (fits_column(&table, card))
				found[made++] = after(without(*at, card), card);
		}
	int size = __builtin_popcount(at->talon), place = 0;
	uint32_t reached = ends(at, size);
	for (uint32_t left = at->talon; left; left &= left - 1) {
		if (!(reached >> ++place & 1))
			continue;
		int i = __builtin_ctz(left), card = talon[i];
		struct position taken = *at;
		taken.talon &= ~(1u << i);
		taken.waste = place - 1;
		if (at->up[suit(card)] == rank(card)) {
			struct child child = after(raised(taken, card), UP + card);
			if (turn == 1 && is_safe(at, card)) {
				found[0] = child;
				return 1;
			}
			found[made++] = child;
		}
		if (fits_column(&table, card))
			found[made++] = after(taken, card);
	}
	for (int s = 0; may_take_back && s < 4; s++) {
		int card = 4 * (at->up[s] - 1) + s;
		struct position back = *at;
		back.up[s]--;
		if (card >= 0 && !is_safe(&back, card) && fits_column(&table, card))
			found[made++] = after(back, card);
	}
	return made;
}

static uint64_t *home_of(uint64_t key)
{
	return known + (key * 0x9E3779B97F4A7C15u >> 32 & known_mask);
}

/* Where a key is known, or would be written: no key is 0. */
static uint64_t *place_of(uint64_t key)
{
	uint64_t *place = home_of(key);
	while (*place && *place != key)
		place = place < known + known_mask ? place + 1 : known;
	return place;
}

static void make_room(uint32_t wanted)
{
	room = wanted;
	known_mask = 2 * room - 1;
	free(known);
	known = calloc(2 * room, sizeof *known);
	nodes = realloc(nodes, room * sizeof *nodes);
	if (!known || !nodes) {
		fputs("thoughtful: not enough memory; ask for a smaller LIMIT\n", stderr);
		exit(1);
	}
	for (uint32_t i = 0; i < count; i++)
		*place_of(nodes[i].key) = nodes[i].key;
}

/* Keep a position, unless it is known. */
static void keep(struct child child, uint32_t parent)
{
	uint64_t *place = place_of(child.key);
	if (*place)
		return;
	*place = child.key;
	nodes[count] = (struct node){child.key, parent, waiting[child.measure]};
	waiting[child.measure] = count++;
	if (count == room)
		make_room(2 * room);
}

static int is_won(const struct position *at)
{
	return at->up[0] + at->up[1] + at->up[2] + at->up[3] == 4 * (KING + 1);
}

/* Print the plays from the first node to this one; what waits is not needed any more. */
static void print_plays(uint32_t last)
{
	uint32_t node = last;
	for (uint32_t parent; (parent = nodes[node].parent) != NONE; node = parent)
		nodes[parent].next = node;
	for (; node != last; node = nodes[node].next) {
		struct child found[MOST_CHILDREN], *child = found;
		struct position at = unpack(nodes[node].key);
		children(&at, found);
		while (child->key != nodes[nodes[node].next].key)
			child++;
		printf(" %c%d", child->play >= UP ? '+' : '-', child->play % UP);
	}
}

static void solve(struct position start)
{
	count = 0;
	memset(waiting, 0xFF, sizeof waiting);
	make_room(1 << 12);
	keep(after(start, 0), NONE);
	for (int m = MEASURES - 1; m >= 0 && count < limit;) {
		uint32_t node = waiting[m];
		if (node == NONE) {
			m--;
			continue;
		}
		waiting[m] = nodes[node].next;
		struct position at = unpack(nodes[node].key);
		if (is_won(&at)) {
			printf("won %u", count);
			print_plays(node);
			putchar('\n');
			return;
		}
		struct child found[MOST_CHILDREN];
		int made = children(&at, found);
		for (int i = 0; i < made; i++)
			__builtin_prefetch(home_of(found[i].key));
		while (made--) {
			keep(found[made], node);
			if (m < found[made].measure)
				m = found[made].measure;
		}
	}
	printf("%s %u\n", count < limit ? "lost" : "unknown", count);
}

static int read_number(int least, int most)
{
	int number;
	if (scanf("%d", &number) != 1 || number < least || number > most) {
		fprintf(stderr, "thoughtful: a number from %d to %d is wanted\n", least, most);
		exit(1);
	}
	return number;
}

static struct position read_position(int first)
{
	struct position at = {0};
	elsewhere = bit(4 * (KING + 1)) - 1;
	for (int s = 0; s < 4; s++)
		at.up[s] = s ? read_number(0, KING + 1) : first;
	at.waste = read_number(0, MOST_TALON);
	talon_size = read_number(at.waste, MOST_TALON);
	at.talon = (1u << talon_size) - 1;
	for (int i = 0; i < talon_size; i++)
		elsewhere &= ~bit(talon[i] = read_number(0, 51));
	memset(column, 0xFF, sizeof column);
	for (int c = 0; c < COLUMNS; c++) {
		at.left[c] = read_number(0, c + 1);
		for (int i = 0; i < at.left[c]; i++)
			elsewhere &= ~bit(column[c][i] = read_number(0, 51));
		gone[c][at.left[c]] = 0;
		for (int i = at.left[c]; i--;)
			gone[c][i] = gone[c][i + 1] | bit(column[c][i]);
	}
	return at;
}

int main(int arguments, char **argument)
{
	if (arguments != 4) {
		fputs("thoughtful TURN TAKE-BACK LIMIT\n", stderr);
		return 2;
	}
	turn = atoi(argument[1]);
	may_take_back = atoi(argument[2]);
	limit = strtoul(argument[3], NULL, 10);
	for (int first; scanf("%d", &first) == 1;) {
		solve(read_position(first));
		fflush(stdout);
	}
	return 0;
}
