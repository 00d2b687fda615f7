"""MQTT 3.1.1 as Scapy writes and reads it, and MQTT 5 as Eclipse Paho writes it."""

import socket
from collections.abc import Iterator
from threading import Thread
from typing import Any

from paho.mqtt.client import CallbackAPIVersion, Client, MQTTv5
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions
from scapy.contrib import mqtt
from scapy.packet import Packet

from strangers import Capture

TYPES = {
    "connect": 1, "connack": 2, "publish": 3, "puback": 4, "pubrec": 5, "pubrel": 6, "pubcomp": 7, "subscribe": 8,
    "suback": 9, "unsubscribe": 10, "unsuback": 11, "pingreq": 12, "pingresp": 13, "disconnect": 14,
}  # fmt: skip


def captures() -> Iterator[Capture]:
    """A connection of each version."""
    yield _by_scapy()
    yield _by_paho()


def _by_scapy() -> Capture:
    packets = [
        mqtt.MQTT() / mqtt.MQTTConnect(
            protoname=b"MQTT", protolevel=4, clientIdlen=3, clientId=b"abc", klive=60, cleansess=1, willflag=1,
            willQOSflag=1, willtopic=b"gone", willmsg=b"\x00bye", usernameflag=1, username="me", passwordflag=1,
            password="pass",
        ),
        mqtt.MQTT() / mqtt.MQTTConnack(sessPresentFlag=1, retcode=0),
        mqtt.MQTT(QOS=1, RETAIN=1) / mqtt.MQTTPublish(topic=b"a/b", msgid=7, value=b"x" * 200),
        mqtt.MQTT(DUP=0) / mqtt.MQTTPublish(topic=b"a/b", value=b""),
        mqtt.MQTT() / mqtt.MQTTPuback(msgid=7),
        mqtt.MQTT() / mqtt.MQTTPubrec(msgid=8),
        mqtt.MQTT(QOS=1) / mqtt.MQTTPubrel(msgid=8),
        mqtt.MQTT() / mqtt.MQTTPubcomp(msgid=8),
        mqtt.MQTT(QOS=1) / mqtt.MQTTSubscribe(msgid=9, topics=[
            mqtt.MQTTTopicQOS(topic=b"a/#", QOS=2), mqtt.MQTTTopicQOS(topic="näh".encode(), QOS=0),
        ]),
        mqtt.MQTT() / mqtt.MQTTSuback(msgid=9, retcodes=[2, 0x80]),
        mqtt.MQTT(QOS=1) / mqtt.MQTTUnsubscribe(msgid=10, topics=[mqtt.MQTTTopic(topic=b"a/#")]),
        mqtt.MQTT() / mqtt.MQTTUnsuback(msgid=10),
        mqtt.MQTT(type=12), mqtt.MQTT(type=13), mqtt.MQTT(type=14),
    ]  # fmt: skip
    data = [bytes(packet) for packet in packets]
    return Capture("3.1.1", b"".join(data), tuple(_read(mqtt.MQTT(each)) for each in data), {"version": "3.1.1"})


def _read(packet: Packet) -> dict[str, Any]:
    """What Scapy reads in a packet."""
    name = next(name for name, number in TYPES.items() if number == packet.type)
    header = {"packet_type": packet.type, "dup": bool(packet.DUP), "qos": packet.QOS, "retain": bool(packet.RETAIN)}
    found = packet.payload.fields
    match name:
        case "connect":
            own = {
                "protocol_name": found["protoname"].decode(),
                "protocol_version": found["protolevel"],
                "clean_start": bool(found["cleansess"]),
                "will_qos": found["willQOSflag"],
                "keep_alive": found["klive"],
                "client_id": found["clientId"].decode(),
                "will_topic": found["willtopic"].decode(),
                "will_payload": found["willmsg"],
                "user_name": found["username"].decode(),
                "password": found["password"],
            }
        case "connack":
            own = {"session_present": bool(found["sessPresentFlag"]), "reason_code": found["retcode"]}
        case "publish":
            topic, number = found["topic"].decode(), found.get("msgid")
            own = {"topic_name": topic, "packet_identifier": number, "payload": found["value"], "properties": None}
        case "subscribe":
            topics = [{"topic_filter": each.topic.decode(), "maximum_qos": each.QOS} for each in found["topics"]]
            own = {"packet_identifier": found["msgid"], "subscriptions": topics}
        case "suback":
            own = {"packet_identifier": found["msgid"], "reason_codes": found["retcodes"]}
        case "unsubscribe":
            topics = [each.topic.decode() for each in found["topics"]]
            own = {"packet_identifier": found["msgid"], "topic_filters": topics}
        case "pingreq" | "pingresp" | "disconnect":
            own = {}
        case _:
            own = {"packet_identifier": found["msgid"]}
    return {**header, "remaining_length": packet.len, "message": name, **({name: own} if own else {})}


def _by_paho() -> Capture:
    """What a client of Paho sends, and what it was told to send."""
    client = Client(CallbackAPIVersion.VERSION2, "näh", protocol=MQTTv5)
    client.username_pw_set("me", "pass")
    client.will_set(
        "gone", b"\0", qos=1, retain=True, properties=_properties(PacketTypes.WILLMESSAGE, WillDelayInterval=5)
    )
    connect = _properties(PacketTypes.CONNECT, SessionExpiryInterval=3600, UserProperty=[("a", "b"), ("a", "c")])
    publish = _properties(
        PacketTypes.PUBLISH,
        PayloadFormatIndicator=1,
        MessageExpiryInterval=300,
        TopicAlias=2,
        ResponseTopic="r",
        CorrelationData=b"\1\2",
        ContentType="text/plain",
    )
    with socket.create_server(("127.0.0.1", 0)) as server:
        answering = Thread(target=_answered, args=(server, received := bytearray()))
        answering.start()
        client.connect("127.0.0.1", server.getsockname()[1], keepalive=30, clean_start=True, properties=connect)
        while not client.is_connected():
            client.loop(1)
        options = SubscribeOptions(qos=1, noLocal=True, retainAsPublished=True, retainHandling=2)
        subscribe = _properties(PacketTypes.SUBSCRIBE, SubscriptionIdentifier=300)
        client.subscribe("a/#", options=options, properties=subscribe)
        client.publish("a/b", "grün", qos=1, properties=publish)
        client.unsubscribe(["a/#", "b"], properties=_properties(PacketTypes.UNSUBSCRIBE, UserProperty=("x", "y")))
        client.disconnect(properties=_properties(PacketTypes.DISCONNECT, ReasonString="done"))
        answering.join()
    rows = (
        {"connect": {
            "protocol_version": 5, "client_id": "näh", "keep_alive": 30, "clean_start": True,
            "properties": {"properties": [
                {"identifier_name": "Session Expiry Interval", "four_byte_integer": 3600},
                {"identifier_name": "User Property", "name": "a", "value": "b"},
                {"identifier_name": "User Property", "name": "a", "value": "c"},
            ]},
            "will_retain": True, "will_qos": 1, "will_topic": "gone", "will_payload": b"\0",
            "will_properties": {"properties": [{"identifier_name": "Will Delay Interval", "four_byte_integer": 5}]},
            "user_name": "me", "password": b"pass",
        }},
        {"subscribe": {
            "packet_identifier": 1,
            "properties": {"properties": [{"identifier": 11, "variable_byte_integer": 300}]},
            "subscriptions": [{
                "topic_filter": "a/#", "maximum_qos": 1, "no_local": True, "retain_as_published": True,
                "retain_handling": 2,
            }],
        }},
        {"qos": 1, "publish": {
            "topic_name": "a/b", "packet_identifier": 2, "payload": "grün".encode(),
            "properties": {"properties": [
                {"identifier_name": "Payload Format Indicator", "byte": 1},
                {"identifier_name": "Message Expiry Interval", "four_byte_integer": 300},
                {"identifier_name": "Content Type", "string": "text/plain"},
                {"identifier_name": "Response Topic", "string": "r"},
                {"identifier_name": "Correlation Data", "binary_data": b"\1\2"},
                {"identifier_name": "Topic Alias", "two_byte_integer": 2},
            ]},
        }},
        {"unsubscribe": {"packet_identifier": 3, "topic_filters": ["a/#", "b"]}},
        {"disconnect": {"reason_code": 0, "properties": {"properties": [{"identifier": 31, "string": "done"}]}}},
    )  # fmt: skip
    return Capture("5", bytes(received), rows, {"version": "5"})


def _properties(packet: int, **values: Any) -> Properties:
    found = Properties(packet)
    for name, value in values.items():
        setattr(found, name, value)
    return found


def _answered(server: socket.socket, received: bytearray) -> None:
    """Answer a client, and note all that it sends until it leaves."""
    connection, _ = server.accept()
    with connection:
        received += connection.recv(4096)
        connection.sendall(bytes.fromhex("20 03 00 00 00"))  # CONNACK: no session, success, no properties
        while data := connection.recv(4096):
            received += data
