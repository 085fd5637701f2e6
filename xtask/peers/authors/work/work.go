// Package work is the business of the controller that is written once for each peer: the part that has nothing to do with status.
package work

import (
	"context"
	"net/netip"
)

// Parse returns the addresses of a pool, or an error that names the first one that is not an address.
func Parse(addresses []string) ([]netip.Addr, error) {
	parsed := make([]netip.Addr, 0, len(addresses))
	for _, address := range addresses {
		ip, err := netip.ParseAddr(address)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, ip)
	}
	return parsed, nil
}

// Announce tells the network of addresses. The call can fail.
type Announce func(context.Context, []netip.Addr) error
