// Command apiserver is kube-apiserver and the etcd under it, as one process on loopback.
//
//	apiserver DIR [kube-apiserver flags]
//
// etcd keeps its data in DIR/etcd and listens on free ports of loopback, so that two of these never meet. Every flag
// after DIR goes to kube-apiserver as it is.
package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: apiserver DIR [kube-apiserver flags]")
		os.Exit(64)
	}
	endpoint, err := startEtcd(os.Args[1])
	if err != nil {
		fmt.Fprintf(os.Stderr, "etcd did not start in %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
	command := app.NewAPIServerCommand()
	command.SetArgs(append([]string{"--etcd-servers=" + endpoint}, os.Args[2:]...))
	os.Exit(cli.Run(command))
}

func startEtcd(dir string) (string, error) {
	config := embed.NewConfig()
	config.Dir = filepath.Join(dir, "etcd")
	config.LogLevel = "error"
	config.LogOutputs = []string{filepath.Join(dir, "etcd.log")}
	// A lab is thrown away: losing the last writes in a power cut costs nothing, and a sync per write costs much.
	config.UnsafeNoFsync = true
	client, err := loopback()
	if err != nil {
		return "", err
	}
	peer, err := loopback()
	if err != nil {
		return "", err
	}
	config.ListenClientUrls = []url.URL{client}
	config.AdvertiseClientUrls = []url.URL{client}
	config.ListenPeerUrls = []url.URL{peer}
	config.AdvertisePeerUrls = []url.URL{peer}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return "", err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return client.String(), nil
	case err := <-etcd.Err():
		return "", err
	case <-time.After(30 * time.Second):
		etcd.Close()
		return "", fmt.Errorf("not ready after 30 s")
	}
}

func loopback() (url.URL, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return url.URL{}, err
	}
	defer listener.Close()
	return url.URL{Scheme: "http", Host: listener.Addr().String()}, nil
}
