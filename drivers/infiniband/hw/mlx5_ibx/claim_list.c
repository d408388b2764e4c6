// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Values of claim=: empty (no device), `all`, or PCI addresses with commas
 * between them, with or without the domain: 0000:3b:00.1,5e:00.0
 *
 * A list has no spaces and no empty entries, and names no device twice.
 */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/pci.h>
#include <linux/string.h>

#include "compat.h"
#include "main.h"

/* parses 1 to @max hex digits and advances *@s past them */
static int parse_hex(const char **s, int max, u32 *value)
{
	int n;

	*value = 0;
	for (n = 0; n < max && isxdigit(**s); n++, (*s)++)
		*value = *value << 4 | hex_to_bin(**s);
	return n ? 0 : -EINVAL;
}

static int parse_char(const char **s, char c)
{
	if (**s != c)
		return -EINVAL;
	(*s)++;
	return 0;
}

static int parse_addr(const char **s, struct ibx_claim_addr *a)
{
	u32 first, second, slot, fn;

	a->domain = 0;
	if (parse_hex(s, 8, &first) || parse_char(s, ':') || parse_hex(s, 2, &second))
		return -EINVAL;
	if (**s == ':') {
		(*s)++;
		a->domain = first;
		first = second;
		if (parse_hex(s, 2, &second))
			return -EINVAL;
	}
	slot = second;
	if (parse_char(s, '.') || parse_hex(s, 1, &fn))
		return -EINVAL;
	if (first > 0xff || slot > 0x1f || fn > 7)
		return -EINVAL;
	a->bus = first;
	a->devfn = PCI_DEVFN(slot, fn);
	return 0;
}

/**
 * ibx_claim_has() - is a device in a list?
 * @list: list of devices
 * @domain: PCI domain
 * @bus: PCI bus
 * @devfn: PCI device and function
 *
 * Return: true if the list contains the device, or is `all`.
 */
bool ibx_claim_has(const struct ibx_claim_list *list, u32 domain, u8 bus, u8 devfn)
{
	int i;

	if (list->all)
		return true;
	for (i = 0; i < list->n; i++)
		if (list->addr[i].domain == domain && list->addr[i].bus == bus &&
		    list->addr[i].devfn == devfn)
			return true;
	return false;
}

/**
 * ibx_claim_parse() - parse a list of devices
 * @text: text from the user; a trailing newline is allowed
 * @list: gets the parsed list
 *
 * Return:
 * * 0
 * * -EINVAL: syntax error
 * * -EEXIST: a device is named twice
 * * -E2BIG: more than IBX_CLAIM_MAX devices
 *
 * On error, list->bad points to the faulty entry.
 */
int ibx_claim_parse(const char *text, struct ibx_claim_list *list)
{
	const char *s = text;
	struct ibx_claim_addr a;

	memset(list, 0, sizeof(*list));
	if (!*s || !strcmp(s, "\n"))
		return 0;
	if (!strcmp(s, "all") || !strcmp(s, "all\n")) {
		list->all = true;
		return 0;
	}

	for (;;) {
		list->bad = s;
		if (parse_addr(&s, &a))
			return -EINVAL;
		if (*s != ',' && *s && strcmp(s, "\n"))
			return -EINVAL;
		if (ibx_claim_has(list, a.domain, a.bus, a.devfn))
			return -EEXIST;
		if (list->n == IBX_CLAIM_MAX)
			return -E2BIG;
		list->addr[list->n++] = a;
		if (*s != ',')
			break;
		s++;
	}
	list->bad = NULL;
	return 0;
}

/**
 * ibx_claim_format() - write a list as ibx_claim_parse() reads it
 * @list: list of devices
 * @buf: gets the text, without a newline
 * @size: bytes in @buf; 17 per device are enough
 *
 * Return: number of characters written, without the terminating 0.
 */
int ibx_claim_format(const struct ibx_claim_list *list, char *buf, size_t size)
{
	const struct ibx_claim_addr *a;
	int len = 0;
	int i;

	if (list->all)
		return scnprintf(buf, size, "all");
	buf[0] = 0;
	for (i = 0; i < list->n; i++) {
		a = &list->addr[i];
		len += scnprintf(buf + len, size - len, "%s%04x:%02x:%02x.%d", i ? "," : "",
				 a->domain, a->bus, PCI_SLOT(a->devfn), PCI_FUNC(a->devfn));
	}
	return len;
}
